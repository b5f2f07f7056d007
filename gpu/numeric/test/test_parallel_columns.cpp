// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "gpu/numeric/parallel_columns.hpp"

namespace lufact::gpu {
namespace {

constexpr std::uint64_t table4_bytes = 8'000'000'000;
constexpr Offset v100_warps = 80 * 64;

TEST(ParallelColumns, TableFourOfE2E) {
  struct Row {
    Index n;
    Offset blocks;
  };
  EXPECT_EQ(max_parallel_blocks(v100_warps), 160);
  for (const Row& row :
       {Row{16'002'413, 124}, Row{16'777'216, 119}, Row{18'318'143, 109}, Row{19'458'087, 102}}) {
    EXPECT_EQ(fitting_columns(table4_bytes, row.n, Precision::float32), row.blocks);
    EXPECT_TRUE(wants_sorted_columns(table4_bytes, row.n, Precision::float32, 160));
  }
}

TEST(ParallelColumns, SortedColumnsBeginJustAboveTheRulesOrder) {
  EXPECT_FALSE(wants_sorted_columns(table4_bytes, 12'500'000, Precision::float32, 160));
  EXPECT_TRUE(wants_sorted_columns(table4_bytes, 12'500'001, Precision::float32, 160));
  EXPECT_FALSE(wants_sorted_columns(table4_bytes, 6'250'000, Precision::float64, 160));
  EXPECT_TRUE(wants_sorted_columns(table4_bytes, 6'250'001, Precision::float64, 160));
}

TEST(ParallelColumns, NothingOverflowsAndAnEmptyMatrixCounts) {
  constexpr Index largest = 2'147'483'647;
  EXPECT_EQ(fitting_columns(140'000'000'000, largest, Precision::float64), 8);
  EXPECT_TRUE(wants_sorted_columns(140'000'000'000, largest, Precision::float64, 264));
  EXPECT_EQ(fitting_columns(80, 0, Precision::float64), 10);
}

TEST(ParallelColumns, AsManyAsAreOfUseAndFit) {
  EXPECT_EQ(plan_work_columns({8000, 100, Precision::float64, 4, {}}), 4);
  EXPECT_EQ(plan_work_columns({8000, 100, Precision::float64, 400, {}}), 10);
  EXPECT_EQ(plan_work_columns({8000, 100, Precision::float64, 0, {}}), 1);
  EXPECT_EQ(plan_work_columns({8000, 100, Precision::float64, 4, 10}), 10);
}

TEST(ParallelColumns, TooFewIsOutOfMemoryWithWhatToDo) {
  for (const std::optional<Offset> required : {std::optional<Offset>{}, std::optional<Offset>{1}}) {
    EXPECT_THROW(plan_work_columns({799, 100, Precision::float64, 4, required}), Error);
  }
  try {
    plan_work_columns({8000, 100, Precision::float64, 4, 11});
    FAIL() << "11 columns fitted";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_EQ(error.code(), "device_budget");
    EXPECT_NE(std::string(error.what()).find("--parallel-columns"), std::string::npos);
  }
}

}  // namespace
}  // namespace lufact::gpu
