// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/report/file_comparison.hpp"
#include "core/report/test/sample_records.hpp"

namespace lufact {
namespace {

using testing::Contains;
using testing::HasSubstr;

nlohmann::ordered_json file_with(std::vector<RunRecord> runs) {
  return to_json(test::file_of(std::move(runs)));
}

RunRecord on_matrix(RunRecord run, const std::string& name) {
  run.input.name = run.sweep->matrix = name;
  run.input.sha256 = std::string(64, name.front());
  return run;
}

TEST(FileComparison, PairsRunsByMatrixAndVariant) {
  const auto a = file_with({test::scaled_run("1", "ooc", 1), test::scaled_run("2", "cpu", 1)});
  const auto b = file_with({test::scaled_run("3", "cpu", 2), test::scaled_run("4", "ooc", 0.5)});
  const FileComparison comparison = compare_files(a, b, 1);
  ASSERT_EQ(comparison.phases.size(), 18u);  // total_s and 8 phases, twice
  EXPECT_EQ(comparison.phases[0].variant, "ooc");
  EXPECT_EQ(comparison.phases[0].phase, "total_s");
  EXPECT_DOUBLE_EQ(comparison.phases[0].estimate.ratio, 2);
  EXPECT_EQ(comparison.phases[0].estimate.verdict, Verdict::faster);
  EXPECT_DOUBLE_EQ(comparison.phases[0].median_a, 2 * comparison.phases[0].median_b);
  EXPECT_EQ(comparison.phases[9].estimate.verdict, Verdict::slower);
  EXPECT_TRUE(comparison.notes.empty());
  EXPECT_FALSE(comparison.outcome_lost);
}

TEST(FileComparison, PrefersTheVariantOfASweep) {
  RunRecord small = test::scaled_run("1", "ooc", 1), large = test::scaled_run("2", "ooc", 3);
  small.sweep->variant = "ooc-1GiB";
  large.sweep->variant = "ooc-8GiB";
  const auto comparison = compare_files(file_with({small, large}), file_with({large, small}), 1);
  for (const ComparedPhase& phase : comparison.phases) {
    EXPECT_EQ(phase.estimate.verdict, Verdict::same) << phase.variant;
  }
}

TEST(FileComparison, SaysWhatItCouldNotCompare) {
  RunRecord failed = test::scaled_run("3", "um", 1);
  failed.outcome = Outcome::inaccurate;
  RunRecord other = on_matrix(test::scaled_run("4", "cpu", 1), "other");
  RunRecord changed = other;
  changed.input.sha256 = std::string(64, '0');
  const auto a = file_with({test::scaled_run("1", "um", 1), other, test::scaled_run("5", "x", 1)});
  const auto comparison = compare_files(a, file_with({failed, changed}), 1);
  EXPECT_TRUE(comparison.phases.empty());
  EXPECT_TRUE(comparison.outcome_lost);
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("ok in A, inaccurate in B")));
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("inputs differ")));
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("only in A")));
}

TEST(FileComparison, NotesFactorsThatDiffer) {
  RunRecord changed = test::scaled_run("2", "cpu", 1);
  ++*changed.factors->nnz_l;
  const auto comparison =
      compare_files(file_with({test::scaled_run("1", "cpu", 1)}), file_with({changed}), 1);
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("factors differ")));
}

TEST(FileComparison, SummarizesEachPhaseOverItsMatrices) {
  const auto a = file_with({on_matrix(test::scaled_run("1", "cpu", 1), "first"),
                            on_matrix(test::scaled_run("2", "cpu", 1), "second")});
  const auto b = file_with({on_matrix(test::scaled_run("3", "cpu", 2), "first"),
                            on_matrix(test::scaled_run("4", "cpu", 0.25), "second")});
  const auto summaries = summarize_phases(compare_files(a, b, 1).phases);
  ASSERT_EQ(summaries.size(), 9u);
  EXPECT_EQ(summaries[0].n, 2u);
  EXPECT_NEAR(summaries[0].geometric_mean, std::sqrt(0.5 * 4), 1e-12);
  EXPECT_DOUBLE_EQ(summaries[0].least, 0.5);
  EXPECT_DOUBLE_EQ(summaries[0].largest, 4);
  EXPECT_EQ(summaries[0].verdicts.at(Verdict::slower), 1u);
  EXPECT_EQ(summaries[0].verdicts.at(Verdict::faster), 1u);
}

}  // namespace
}  // namespace lufact
