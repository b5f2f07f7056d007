// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "core/base/error.hpp"
#include "core/order/btf_ordering.hpp"
#include "core/order/metis_ordering.hpp"
#include "core/order/ordering_stages.hpp"
#include "core/order/permutation_file.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/order/test/preprocess_fixtures.hpp"

namespace lufact {
namespace {

using ::testing::HasSubstr;

// A file in the test's temporary folder, removed with the object.
class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = ::testing::TempDir() + "lufact_" + info->name() + ".perm";
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::remove(path_.c_str()); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

std::string message_of_reading(const std::string& text, Index n) {
  const TextFile file(text);
  try {
    read_permutation_file(file.path(), n);
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::error);
    EXPECT_EQ(error.code(), "bad_permutation");
    return error.what();
  }
  return "no error";
}

TEST(OrderingStages, GiveABijectionOfEveryNamedPatternTwiceTheSame) {
  for (const auto& stage : ordering_stages()) {
    if (stage->info().name == "file" || !stage->supported(Machine{}).ok) continue;
    for (const auto& [name, pattern] : testing::named_patterns()) {
      testing::TestContext test;
      const Ordering first = stage->run(pattern, test.context);
      const Ordering second = stage->run(pattern, test.context);
      ASSERT_EQ(first.perm.size(), pattern.n_rows) << stage->info().name << " on " << name;
      EXPECT_TRUE(std::ranges::equal(first.perm.old_of_new(), second.perm.old_of_new()));
      EXPECT_FALSE(first.postordered);
    }
  }
}

TEST(OrderingStages, HaveTheNamesOfTheCommandLine) {
  std::vector<std::string> names;
  for (const auto& stage : ordering_stages()) {
    names.push_back(stage->info().name);
    const Support support = stage->supported(Machine{});
    EXPECT_EQ(support.ok, stage->info().name != "metis" || metis_available());
    EXPECT_EQ(support.reason.empty(), support.ok);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf(
                         {"amd", "colamd", "btf-amd", "metis", "nd-parallel", "natural", "file"}));
}

TEST(OrderingStages, ReduceTheFillOfAGrid) {
  const CsrPattern grid = testing::grid_matrix(20, 20).pattern;
  const Offset natural = testing::symmetric_fill(grid, Permutation::identity(400));
  EXPECT_LT(testing::symmetric_fill(grid, amd_ordering(grid)), natural * 6 / 10);
  EXPECT_LT(testing::symmetric_fill(grid, colamd_ordering(grid)), natural);
  EXPECT_LT(testing::symmetric_fill(grid, btf_amd_ordering(grid).perm), natural * 6 / 10);
  if (metis_available()) {
    EXPECT_LT(testing::symmetric_fill(grid, metis_ordering(grid)), natural * 6 / 10);
  }
}

TEST(Amd, WorksOnBothTrianglesOfAnUnsymmetricPattern) {
  // The lower triangle alone must give what the whole grid gives.
  const CsrMatrix grid = testing::grid_matrix(15, 15);
  testing::Cells lower;
  for (Index i = 0; i < 225; ++i) {
    for (const Index j : grid.pattern.row(i)) {
      if (j <= i) lower[{i, j}] = 1;
    }
  }
  const Permutation whole = amd_ordering(grid.pattern);
  const Permutation half = amd_ordering(testing::matrix_of(225, lower).pattern);
  EXPECT_EQ(testing::symmetric_fill(grid.pattern, whole),
            testing::symmetric_fill(grid.pattern, half));
}

TEST(BtfAmd, HasNoEntryBelowItsDiagonalBlocks) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const CsrPattern a = testing::random_matrix(80, 0.8, 0, false, seed).pattern;
    const BlockTriangularForm form = btf_amd_ordering(a);
    ASSERT_EQ(form.block_ptr.back(), 80);
    std::vector<Index> block_of(80);
    for (std::size_t b = 0; b + 1 < form.block_ptr.size(); ++b) {
      std::fill(block_of.begin() + form.block_ptr[b], block_of.begin() + form.block_ptr[b + 1],
                static_cast<Index>(b));
    }
    const auto label = form.perm.new_of_old();
    for (Index i = 0; i < 80; ++i) {
      for (const Index j : a.row(i)) EXPECT_LE(block_of[label[i]], block_of[label[j]]);
    }
  }
}

TEST(BtfAmd, FindsTheBlocksOfAHiddenTriangularMatrix) {
  testing::Draws draws(11);
  const std::vector<Index> hidden = testing::random_labels(50, draws);
  testing::Cells cells;
  for (Index i = 0; i < 50; ++i) {
    for (Index j = i; j < std::min<Index>(50, i + 4); ++j) cells[{hidden[i], hidden[j]}] = 1;
  }
  const BlockTriangularForm form = block_triangular_form(testing::matrix_of(50, cells).pattern);
  EXPECT_EQ(form.block_ptr.size(), 51u);
  EXPECT_TRUE(std::ranges::equal(form.perm.old_of_new(), hidden));
}

TEST(BtfAmd, OrdersInsideABlockAsAmdDoes) {
  const CsrPattern grid = testing::grid_matrix(10, 10).pattern;
  const BlockTriangularForm form = btf_amd_ordering(grid);
  EXPECT_EQ(form.block_ptr.size(), 2u);
  EXPECT_TRUE(std::ranges::equal(form.perm.old_of_new(), amd_ordering(grid).old_of_new()));
}

TEST(PermutationFile, CountsFromOneOrFromZero) {
  const TextFile from_one("% a comment\n3\n1\n\n  2 \r\n");
  EXPECT_THAT(read_permutation_file(from_one.path(), 3).old_of_new(),
              ::testing::ElementsAre(2, 0, 1));
}

TEST(PermutationFile, CountsFromZeroWhereItHoldsAZero) {
  const TextFile from_zero("2\n0\n1");
  EXPECT_THAT(read_permutation_file(from_zero.path(), 3).old_of_new(),
              ::testing::ElementsAre(2, 0, 1));
}

TEST(PermutationFile, IsReadByItsStage) {
  const TextFile file("2\n1\n");
  testing::TestContext test;
  test.options.permutation_file = file.path();
  const auto stages = ordering_stages();
  const auto stage = std::find_if(stages.begin(), stages.end(),
                                  [](const auto& s) { return s->info().name == "file"; });
  ASSERT_NE(stage, stages.end());
  const CsrPattern pattern = testing::matrix_of(2, {}).pattern;
  EXPECT_THAT((*stage)->run(pattern, test.context).perm.old_of_new(), ::testing::ElementsAre(1, 0));
}

TEST(PermutationFile, EveryFaultIsSaidWithFileAndLine) {
  EXPECT_THAT(message_of_reading("1\n2\ntwo\n", 3), HasSubstr(".perm:3: 'two' is not one integer"));
  EXPECT_THAT(message_of_reading("1 2\n", 2), HasSubstr(".perm:1: '1 2'"));
  EXPECT_THAT(message_of_reading("1\n99999999999\n", 2), HasSubstr(".perm:2:"));
  EXPECT_THAT(message_of_reading("% c\n1\n2\n2\n", 3),
              HasSubstr(".perm:4: label 2 appears already in line 3"));
  EXPECT_THAT(message_of_reading("1\n4\n2\n", 3), HasSubstr(".perm:2: label 4 is outside 1..3"));
  EXPECT_THAT(message_of_reading("0\n3\n2\n", 3), HasSubstr(".perm:2: label 3 is outside 0..2"));
  EXPECT_THAT(message_of_reading("0\n-1\n", 2), HasSubstr(".perm:2: label -1 is outside 0..1"));
  EXPECT_THAT(message_of_reading("1\n2\n", 3), HasSubstr("2 labels, but this matrix needs 3"));
  EXPECT_THAT(message_of_reading("1\n2\n3\n", 2), HasSubstr(".perm:3: more than the 2 labels"));
  EXPECT_THROW(read_permutation_file("/nonexistent/order.perm", 2), Error);
  EXPECT_THROW(read_permutation_file("", 2), Error);
}

}  // namespace
}  // namespace lufact
