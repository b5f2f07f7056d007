// SPDX-License-Identifier: BSD-3-Clause
// Batches cut from sparse matrices: what lies in a small file, and what is known of real ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/batch_input/make_batch_input.hpp"
#include "app/workload/input.hpp"
#include "core/base/error.hpp"
#include "core/batch/condition_counts.hpp"

namespace lufact {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Blocks (1 2; 3 4), (5 6; 7 8) and a single 9, with entries between them.
constexpr const char* small_file =
    "%%MatrixMarket matrix coordinate real general\n"
    "5 5 11\n"
    "1 1 1\n1 2 2\n2 1 3\n2 2 4\n3 3 5\n3 4 6\n4 3 7\n4 4 8\n5 5 9\n1 3 10\n5 1 11\n";

std::string written(const char* name, const std::string& text) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / name).string();
  std::ofstream(path) << text;
  return path;
}

BatchInputRequest natural(const std::string& input, std::optional<Index> size, Offset count) {
  return {.input = input, .size = size, .count = count, .scaling = "none", .ordering = "natural"};
}

TEST(MakeBatchInput, CutsDiagonalBlocks) {
  const std::string path = written("blocks.mtx", small_file);
  const BatchInput input = make_batch_input(natural("blocks:" + path, 2, 7));
  ASSERT_EQ(input.groups.size(), 1U);
  EXPECT_EQ(input.groups[0].count, 7);
  EXPECT_EQ(input.groups[0].given->count, 2);
  EXPECT_THAT(input.groups[0].given->values, ElementsAre(1, 3, 2, 4, 5, 7, 6, 8));
  EXPECT_EQ(input.sha256, hash_of_file(path).sha256);
}

TEST(MakeBatchInput, TakesTheOrdersOfFronts) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n200 200 598\n";
  for (int i = 1; i <= 200; ++i) {
    text += std::to_string(i) + " " + std::to_string(i) + " 4\n";
    if (i == 200) break;
    text += std::to_string(i) + " " + std::to_string(i + 1) + " -1\n";
    text += std::to_string(i + 1) + " " + std::to_string(i) + " -2\n";
  }
  BatchInputRequest request{
      .input = "fronts:" + written("chain.mtx", text), .size = {}, .count = 100000};
  const BatchInput one = make_batch_input(request);
  request.threads = 2;
  const BatchInput two = make_batch_input(request);
  Offset rows = 0, count = 0;
  Index last = 0;
  ASSERT_EQ(one.groups.size(), two.groups.size());
  for (std::size_t g = 0; g < one.groups.size(); ++g) {
    EXPECT_GT(one.groups[g].n, last);
    last = one.groups[g].n;
    rows += one.groups[g].given->count * one.groups[g].n;
    count += one.groups[g].count;
    EXPECT_EQ(one.groups[g].given->values, two.groups[g].given->values);
  }
  EXPECT_EQ(rows, 200);
  EXPECT_EQ(count, 100000);
}

TEST(MakeBatchInput, SaysWhatIsNotThere) {
  const std::string path = written("few.mtx", small_file);
  try {
    make_batch_input(natural("blocks:" + path, 6, 7));
    FAIL() << "there is no block of order 6";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "no_such_blocks");
    EXPECT_THAT(error.what(), HasSubstr("no diagonal blocks of order 6"));
  }
  BatchInputRequest wrong = natural("fronts:" + path, {}, 7);
  wrong.scaling = "no-such-scaling";
  EXPECT_THROW(make_batch_input(wrong), UsageError);
  EXPECT_THROW(make_batch_input(natural("blocks:/nowhere.mtx", 2, 7)), Error);
}

TEST(MakeBatchInput, HashesWhatIsGeneratedByItsFacts) {
  const BatchInputRequest request{.input = "kinetics", .size = 5, .count = 9, .seed = 2};
  EXPECT_EQ(make_batch_input(request).sha256,
            hash_of_generator(batch_generator_facts(request)).sha256);
}

// Diagonal blocks of order 8 in natural order: how many there are, how many singular to working
// precision.
struct KnownBlocks {
  const char* matrix;
  Offset blocks, singular;
};

class RealBlocks : public testing::TestWithParam<KnownBlocks> {};

TEST_P(RealBlocks, AreAsSingularAsTheyAreKnownToBe) {
  const char* const folder = std::getenv("LUFACT_TEST_DATA");
  if (folder == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA names no folder with matrices/";
  const std::string path = std::string(folder) + "/matrices/" + GetParam().matrix + ".mtx.xz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const BatchConditions counts =
      count_conditions(make_batch_input(natural("blocks:" + path, 8, 1'000'000)), 2);
  EXPECT_EQ(counts.matrices, GetParam().blocks);
  EXPECT_NEAR(static_cast<double>(counts.singular), static_cast<double>(GetParam().singular),
              0.01 * static_cast<double>(GetParam().blocks));
}

INSTANTIATE_TEST_SUITE_P(Files, RealBlocks,
                         testing::Values(KnownBlocks{"bayer10", 1679, 1679},
                                         KnownBlocks{"cont-201", 10074, 5025},
                                         KnownBlocks{"ACTIVSg200_AC_KKT", 580, 236}),
                         [](const auto& known) {
                           std::string name = known.param.matrix;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lufact
