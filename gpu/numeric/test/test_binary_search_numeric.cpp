// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "gpu/numeric/binary_search_numeric.hpp"
#include "gpu/numeric/dense_numeric.hpp"
#include "gpu/numeric/test/numeric_bench.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

class BinarySearchNumeric : public DeviceTest {
 protected:
  Bench bench(const HostProblem& problem) {
    return {session(), problem, make_binary_search_numeric()};
  }
};

TEST_F(BinarySearchNumeric, TheShapeOfALevelFollowsItsTiles) {
  // The border's columns make tiles beyond the card, beyond a quarter of it, and below that.
  const auto card = static_cast<Index>(session().max_resident_warps());
  for (const Index columns : {std::max<Index>(card / 16, 100), card / 8 + 40, card / 2 + 40}) {
    const auto problem = bordered_problem(columns, 4);
    Bench subject = bench(problem);
    const FactorFigures figures = check_factors(subject, problem, in_double)->figures();
    const LevelKernelCounts counts = figures.level_kernel_counts.value();
    EXPECT_EQ(counts.stream, 4 * columns > card ? 1 : 0);
    EXPECT_EQ(counts.large_block, 4 * columns > card ? 0 : 1);
    EXPECT_EQ(counts.small_block, 4);
    EXPECT_EQ(figures.format, "sparse");
    EXPECT_FALSE(figures.parallel_columns.has_value());
  }
}

TEST_F(BinarySearchNumeric, AChainIsDoneByOneBlockWithAControlReadPer128Levels) {
  Bench subject = bench(chain_problem(300));
  const auto before = session().counters().control_reads;
  const auto factors = subject.run();
  EXPECT_EQ(session().counters().control_reads - before, 1u + 3u);
  EXPECT_EQ(factors->figures().level_kernel_counts.value().small_block, 300);
}

TEST_F(BinarySearchNumeric, SanitizeAFixedNumberOfBlocksGivesTheReferencesFactorsInEveryMode) {
  for (const GluMode mode :
       {GluMode::automatic, GluMode::small_block, GluMode::large_block, GluMode::stream}) {
    SCOPED_TRACE(to_string(mode));
    for (const Offset blocks : {1, 2, 7, 160}) {
      for (const auto& problem :
           {random_problem(200), bordered_problem(400, 4), chain_problem(65)}) {
        for (const Accuracy& accuracy : {in_double, in_float}) {
          Bench subject = bench(problem);
          subject.options.parallel_columns = blocks;
          subject.options.glu_mode = mode;
          const FactorFigures figures = check_factors(subject, problem, accuracy)->figures();
          EXPECT_EQ(figures.parallel_columns, blocks);
          const LevelKernelCounts counts = figures.level_kernel_counts.value();
          EXPECT_EQ(counts.small_block + counts.large_block + counts.stream, subject.levels());
          EXPECT_TRUE(mode != GluMode::large_block || counts.large_block == subject.levels());
          EXPECT_TRUE(mode != GluMode::stream || counts.stream == subject.levels());
        }
      }
    }
  }
}

// The two formats are compared with the same number of blocks: they must choose the same modes.
TEST_F(BinarySearchNumeric, ManyBlocksChooseTheModesThatAsManyDenseColumnsChoose) {
  for (const auto& problem :
       {dense_problem(200), bordered_problem(400, 4), bordered_chain_problem(600)}) {
    for (const Offset blocks : {20, 102, 160}) {
      Bench searching = bench(problem);
      Bench dense(session(), problem, make_dense_numeric());
      searching.options.parallel_columns = dense.options.parallel_columns = blocks;
      EXPECT_EQ(check_factors(searching, problem, in_float)->level_profile().kernel_mode,
                check_factors(dense, problem, in_float)->level_profile().kernel_mode);
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
