// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/comparisons.hpp"
#include "core/report/run_header.hpp"
#include "core/report/test/sample_records.hpp"

namespace lufact {
namespace {

const Comparison& of_phase(const std::vector<Comparison>& all, const std::string& phase) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Comparison& c) { return c.phase == phase; });
  EXPECT_NE(found, all.end()) << phase;
  return *found;
}

TEST(Comparisons, PairEachRunWithTheFirstOkRunOfItsMatrix) {
  RunRecord inaccurate = test::scaled_run("bad", "um", 1);
  inaccurate.outcome = Outcome::inaccurate;
  RunRecord other_matrix = test::scaled_run("other", "cpu", 1);
  other_matrix.input.sha256 = std::string(64, 'e');
  const std::vector<RunRecord> runs = {test::failed_run(),
                                       inaccurate,
                                       test::scaled_run("base", "ooc", 1),
                                       other_matrix,
                                       test::scaled_run("slow", "cpu", 2),
                                       test::scaled_run("quick", "fast", 0.5)};
  const auto all = compare_runs(runs);
  ASSERT_EQ(all.size(), 26u);  // total_s and 8 phases, total_s and 3 of refactorizations, twice
  for (const Comparison& comparison : all) EXPECT_EQ(comparison.base_id, "base");
  EXPECT_EQ(all[0].id, "slow");
  EXPECT_EQ(all[0].phase, "total_s");
  EXPECT_DOUBLE_EQ(all[0].estimate.ratio, 0.5);
  EXPECT_EQ(all[0].estimate.verdict, Verdict::slower);
  EXPECT_EQ(all[9].phase, "refactor/total_s");
  EXPECT_EQ(all[13].id, "quick");
  EXPECT_EQ(all[13].estimate.verdict, Verdict::faster);
  EXPECT_EQ(to_json(all[13])["verdict"], "faster");
}

TEST(Comparisons, PairEveryModeWithEveryPeer) {
  const std::vector<RunRecord> runs = {test::scaled_run("a", "cpu", 1),
                                       test::scaled_run("b", "ooc", 1), test::peer_run("p", 2),
                                       test::peer_run("q", 4)};
  std::vector<std::string> pairs;
  for (const Comparison& comparison : compare_runs(runs)) {
    if (comparison.phase == "total_s") pairs.push_back(comparison.base_id + comparison.id);
  }
  EXPECT_THAT(pairs, testing::ElementsAre("ab", "ap", "bp", "aq", "bq"));
}

TEST(Comparisons, PairEqualWorkAlone) {
  std::vector<RunRecord> runs;
  for (const auto& [id, systems] : {std::pair{"a", 1}, {"b", 64}, {"c", 64}, {"d", 1}}) {
    runs.push_back(test::scaled_run(id, id, 1));
    runs.back().systems->count = systems;
  }
  runs.push_back(test::peer_run("p", 2));
  runs.push_back(runs.front());
  runs.back().id = "e";
  runs.back().sweep->options["rhs"] = "4";
  const auto pairs_of = [](const std::vector<Comparison>& all, std::string_view phase) {
    std::vector<std::string> pairs;
    for (const Comparison& c : all) {
      if (c.phase == phase) pairs.push_back(c.base_id + c.id);
    }
    return pairs;
  };
  EXPECT_THAT(pairs_of(compare_runs(runs), "total_s"),
              testing::ElementsAre("bc", "ad", "ap", "dp"));
  const auto by_system = compare_systems(runs);
  EXPECT_THAT(pairs_of(by_system, per_system_phase), testing::ElementsAre("ab", "ac"));
  EXPECT_DOUBLE_EQ(by_system[0].estimate.ratio, 64);
  EXPECT_FALSE(by_system[0].paired);
}

TEST(Comparisons, AreTheSameForTheSameSamples) {
  const std::vector<RunRecord> runs = {test::scaled_run("a", "ooc", 1),
                                       test::scaled_run("b", "um", 1)};
  const auto all = compare_runs(runs);
  EXPECT_EQ(of_phase(all, "numeric").estimate.verdict, Verdict::same);
  EXPECT_EQ(to_json(all[0]), to_json(compare_runs(runs)[0]));
}

TEST(Comparisons, UseRepetitionsThatBothHave) {
  RunRecord base = test::scaled_run("a", "ooc", 1), other = test::scaled_run("b", "um", 4);
  base.samples.erase(base.samples.begin());
  other.samples.pop_back();
  const auto all = compare_pair(base, other, 1);
  EXPECT_DOUBLE_EQ(of_phase(all, "scale").estimate.ratio, 0.25);
  EXPECT_FALSE(of_phase(all, "scale").estimate.ci_low.has_value());  // 3 pairs
  EXPECT_TRUE(to_json(all[0])["ci_low"].is_null());
  EXPECT_EQ(to_json(all[0])["verdict"], "unclear");
}

TEST(Comparisons, PairWhatTookTurnsAlone) {
  RunRecord other = test::scaled_run("b", "um", 1);
  for (const Comparison& comparison : compare_pair(test::scaled_run("a", "ooc", 1), other, 1)) {
    EXPECT_EQ(comparison.paired, !comparison.phase.starts_with(refactor_prefix));
    EXPECT_EQ(to_json(comparison)["paired"], comparison.paired);
  }
  other.sweep->invocation = "2026-02-01T00:00:00Z";
  for (const Comparison& comparison : compare_pair(test::scaled_run("a", "ooc", 1), other, 1)) {
    EXPECT_FALSE(comparison.paired) << comparison.phase;
  }
}

TEST(Comparisons, TakeAllSamplesThatDidNotTakeTurns) {
  RunRecord base = test::scaled_run("a", "ooc", 1), other = test::scaled_run("b", "um", 1);
  base.samples.erase(base.samples.begin());
  for (const SharedPhase& phase : shared_phases(base, other, Sampling::apart)) {
    if (phase.phase != "numeric") continue;
    EXPECT_EQ(phase.base.size(), 4u);
    EXPECT_EQ(phase.other.size(), 5u);
  }
}

TEST(Comparisons, LeaveOutPhasesWithoutARatio) {
  RunRecord base = test::scaled_run("a", "ooc", 1), other = test::scaled_run("b", "um", 1);
  for (Sample& sample : other.samples) {
    sample.phases[0].wall_s = 0;  // scale
    std::erase_if(sample.phases, [](const PhaseTime& p) { return p.name == "order"; });
  }
  std::vector<std::string> phases;
  for (const Comparison& comparison : compare_pair(base, other, 1)) {
    phases.push_back(comparison.phase);
  }
  EXPECT_THAT(phases,
              testing::ElementsAre("total_s", "transfer", "symbolic", "levelize", "numeric",
                                   "solve", "verify", "refactor/total_s", "refactor/transfer",
                                   "refactor/numeric", "refactor/solve"));
}

TEST(Comparisons, LeaveOutRunsThatWereNotVerified) {
  RunRecord unverified = test::scaled_run("b", "um", 0.5);
  unverified.warnings = {{"unverified", "-"}};
  EXPECT_THAT(compare_runs(std::vector{test::scaled_run("a", "ooc", 1), unverified}),
              testing::IsEmpty());
}

TEST(Comparisons, AreOfOneInvocationOfASweep) {
  RunRecord later = test::scaled_run("b", "um", 1);
  later.sweep->invocation = "2026-02-01T00:00:00Z";
  EXPECT_TRUE(compare_runs(std::vector{test::scaled_run("a", "ooc", 1), later}).empty());
}

TEST(Comparisons, DoNotMixDifferentReadingsOfOneFile) {
  RunRecord stored = test::scaled_run("a", "ooc", 1), expanded = test::scaled_run("b", "ooc", 1);
  expanded.matrix->symmetry = SymmetryMode::expand;
  expanded.input = input_of(*expanded.matrix);
  RunRecord shorter = test::scaled_run("c", "ooc", 1);
  shorter.until = "numeric";
  EXPECT_THAT(compare_runs(std::vector{stored, expanded, shorter}), testing::IsEmpty());
}

}  // namespace
}  // namespace lufact
