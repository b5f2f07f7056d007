// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/array/array_stage.hpp"
#include "core/array/dense_settings.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

using testing::HasSubstr;

DenseTakes recursion() {
  return {.block = TakenNumbers{1, 1024},
          .blocks = TakenNumbers{1, 65536},
          .threads_per_block = TakenNumbers{32, 1024, 32},
          .own_block = 32,
          .depth = true,
          .bases = {DenseBase::skr},
          .products = {DenseProduct::own, DenseProduct::simple}};
}

std::string refused(const DenseSettings& settings, const DenseTakes& takes = recursion(),
                    Index order = 100) {
  return settings_refusal("a stage", takes, settings, order);
}

TEST(DenseSettings, WhatIsNotSetIsNotRefused) {
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({}, {}), "");
}

TEST(DenseSettings, ValuesThatAreTaken) {
  EXPECT_EQ(refused({.block = 1024,
                     .depth = 1,
                     .base = DenseBase::skr,
                     .blocks = 65536,
                     .threads_per_block = 96,
                     .product = DenseProduct::simple}),
            "");
}

TEST(DenseSettings, ValuesBeyondThemAreRefusedWithWhatIsAccepted) {
  EXPECT_EQ(refused({.block = 0}), "a stage does not take --block 0; accepted: 1 to 1024");
  EXPECT_EQ(refused({.blocks = 65537}),
            "a stage does not take --blocks 65537; accepted: 1 to 65536");
  EXPECT_EQ(refused({.threads_per_block = 40}),
            "a stage does not take --threads-per-block 40; accepted: 32, 64, ... to 1024");
  EXPECT_EQ(refused({.base = DenseBase::mkr}), "a stage does not take --base mkr; accepted: skr");
}

TEST(DenseSettings, AnOptionWithoutUseNamesThoseThatHaveOne) {
  EXPECT_EQ(refused({.triangular = DenseTriangular::columns}),
            "a stage does not take --triangular; accepted: --block, --depth, --base, --blocks, "
            "--threads-per-block, --product");
  EXPECT_EQ(refused({.depth = 0}, {}),
            "a stage does not take --depth; accepted: none of these options");
}

TEST(DenseSettings, TheDepthEndsWithTheMatrix) {
  EXPECT_EQ(dense_levels(1, 32), 1);
  EXPECT_EQ(dense_levels(96, 32), 3);
  EXPECT_EQ(dense_levels(97, 32), 4);
  EXPECT_EQ(refused({.depth = 4}), "");
  EXPECT_THAT(refused({.depth = 5}), HasSubstr("in blocks of 32; accepted: max, or 0 to 4"));
  EXPECT_EQ(refused({.block = 20, .depth = 5}), "");
  EXPECT_NE(refused({.depth = -1}), "");
}

TEST(DenseSettings, AStageThrowsForProblemAndOptions) {
  const ArrayStageFacts facts{.name = "a stage",
                              .description = "",
                              .source = "",
                              .workload = "dense",
                              .operations = {ArrayOperation::lu},
                              .layouts = {ArrayLayout::contiguous},
                              .largest_order = 100,
                              .dense = recursion()};
  ArrayProblem problem{.rows = 64, .columns = 64, .ld = 64};
  EXPECT_NO_THROW(require_dense(facts, problem, {}));
  ArrayOptions options;
  options.swap = SwapRule::lazy;
  EXPECT_THROW(require_dense(facts, problem, options), UsageError);
  options.swap.reset();
  options.dense.depth = 3;
  EXPECT_THROW(require_dense(facts, problem, options), UsageError);
  problem.operation = ArrayOperation::solve;
  EXPECT_THROW(require_dense(facts, problem, {}), UsageError);
}

}  // namespace
}  // namespace lufact
