// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.hpp"
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

// Every phase, and changes of every size count.
ComparisonOptions everything() {
  return {{"all"}, true, 0.03, 0, 1};
}

ComparisonOptions phases(std::vector<std::string> names) {
  ComparisonOptions options;
  options.phases = std::move(names);
  options.phases_chosen = true;
  return options;
}

TEST(FileComparison, PairsRunsByMatrixAndVariant) {
  const auto a = file_with({test::scaled_run("1", "ooc", 1), test::scaled_run("2", "cpu", 1)});
  const auto b = file_with({test::scaled_run("3", "cpu", 2), test::scaled_run("4", "ooc", 0.5)});
  const FileComparison comparison = compare_files(a, b, everything());
  ASSERT_EQ(comparison.phases.size(), 26u);  // total, 8 phases, 4 of refactorizations, twice
  EXPECT_EQ(comparison.phases[0].variant, "ooc");
  EXPECT_EQ(comparison.phases[0].phase, "total");
  EXPECT_DOUBLE_EQ(comparison.phases[0].estimate.ratio, 2);
  EXPECT_EQ(comparison.phases[0].estimate.verdict, Verdict::faster);
  EXPECT_DOUBLE_EQ(comparison.phases[0].median_a, 2 * comparison.phases[0].median_b);
  EXPECT_EQ(comparison.phases[13].estimate.verdict, Verdict::slower);
  EXPECT_THAT(comparison.faults, testing::IsEmpty());
  EXPECT_FALSE(comparison.outcome_lost);
}

TEST(FileComparison, PrefersTheVariantOfASweep) {
  RunRecord small = test::scaled_run("1", "ooc", 1), large = test::scaled_run("2", "ooc", 3);
  small.sweep->variant = "ooc-1GiB";
  large.sweep->variant = "ooc-8GiB";
  const auto comparison = compare_files(file_with({small, large}), file_with({large, small}),
                                        phases({"total", "numeric"}));
  for (const ComparedPhase& phase : comparison.phases) {
    EXPECT_EQ(phase.estimate.verdict, Verdict::same) << phase.variant;
  }
}

TEST(FileComparison, SetsEqualWorkAgainstEachOther) {
  RunRecord few = test::scaled_run("1", "fast", 1), many = test::scaled_run("2", "fast", 8);
  many.systems->count = 64;
  many.systems->systems_per_s = 16000;
  const auto both =
      compare_files(file_with({few, many}), file_with({many, few}), phases({"total"}));
  ASSERT_EQ(both.phases.size(), 2u);
  for (const ComparedPhase& phase : both.phases) EXPECT_EQ(phase.estimate.verdict, Verdict::same);
  EXPECT_EQ(both.phases[1].variant, "fast (64 systems)");
  EXPECT_EQ(summarize_phases(both.phases).size(), 2u);
  const auto other = compare_files(file_with({few}), file_with({many}), {});
  EXPECT_TRUE(other.phases.empty());
  EXPECT_TRUE(is_worse(other));
  EXPECT_THAT(other.notes,
              testing::ElementsAre("grid fast: not compared: 1 system in A, 64 systems in B; 1000 "
                                   "systems a second in A, 1.6e+04 in B"));
}

TEST(FileComparison, KnowsTheWorkOfARunThatFailedByItsOptions) {
  RunRecord ok = test::scaled_run("1", "fast", 1);
  ok.systems->count = 64;
  ok.sweep->options["systems"] = "64";
  RunRecord failed = ok;
  failed.systems.reset();
  failed.outcome = Outcome::oom_device;
  EXPECT_TRUE(compare_files(file_with({ok}), file_with({failed}), {}).outcome_lost);
  ok.sweep.reset();
  failed.sweep.reset();
  auto b = file_with({failed});
  EXPECT_FALSE(compare_files(file_with({ok}), b, {}).outcome_lost);
  b["config"]["systems"] = 64;
  EXPECT_TRUE(compare_files(file_with({ok}), b, {}).outcome_lost);
}

TEST(FileComparison, SetsAsManyRightHandSidesAgainstEachOther) {
  RunRecord run = test::scaled_run("1", "fast", 1);
  run.sweep.reset();
  const auto one = file_with({run});
  auto several = one;
  several["config"]["rhs"] = 16;
  const auto comparison = compare_files(one, several, {});
  EXPECT_TRUE(comparison.phases.empty());
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("1 system, 16 right-hand sides in B")));
  EXPECT_FALSE(compare_files(several, several, {}).phases.empty());
}

TEST(FileComparison, SaysWhatItCouldNotCompare) {
  RunRecord failed = test::scaled_run("3", "um", 1);
  failed.outcome = Outcome::inaccurate;
  RunRecord other = on_matrix(test::scaled_run("4", "cpu", 1), "other");
  RunRecord changed = other;
  changed.input.sha256 = std::string(64, '0');
  const auto a = file_with({test::scaled_run("1", "um", 1), other, test::scaled_run("5", "x", 1)});
  const auto comparison = compare_files(a, file_with({failed, changed}), {});
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
      compare_files(file_with({test::scaled_run("1", "cpu", 1)}), file_with({changed}), {});
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("factors differ")));
}

TEST(FileComparison, SummarizesEachPhaseOverItsMatrices) {
  const auto a = file_with({on_matrix(test::scaled_run("1", "cpu", 1), "first"),
                            on_matrix(test::scaled_run("2", "cpu", 1), "second")});
  const auto b = file_with({on_matrix(test::scaled_run("3", "cpu", 2), "first"),
                            on_matrix(test::scaled_run("4", "cpu", 0.25), "second")});
  const auto summaries = summarize_phases(compare_files(a, b, everything()).phases);
  ASSERT_EQ(summaries.size(), 13u);
  EXPECT_EQ(summaries[0].n, 2u);
  EXPECT_NEAR(summaries[0].geometric_mean, std::sqrt(0.5 * 4), 1e-12);
  EXPECT_DOUBLE_EQ(summaries[0].least, 0.5);
  EXPECT_DOUBLE_EQ(summaries[0].largest, 4);
  EXPECT_EQ(summaries[0].verdicts.at(Verdict::slower), 1u);
  EXPECT_EQ(summaries[0].verdicts.at(Verdict::faster), 1u);
}

// Seconds of one phase with noise of 2%, nearly normal.
double noisy(double seconds, std::uint64_t seed, std::uint64_t stream, int repetition) {
  double sum = -6;
  for (std::uint64_t k = 0; k < 12; ++k) {
    sum += unit_interval(hash64(seed, stream, static_cast<std::uint64_t>(repetition) * 12 + k));
  }
  return seconds * (1 + 0.02 * sum);
}

Sample noisy_sample(const std::vector<std::pair<std::string, double>>& phases, std::uint64_t seed,
                    std::uint64_t stream, int repetition) {
  Sample sample;
  sample.repetition = repetition;
  for (const auto& [name, seconds] : phases) {
    PhaseTime& phase = sample.phases.emplace_back();
    phase.name = name;
    phase.wall_s = noisy(seconds, seed, ++stream, repetition);
    sample.total_s += phase.wall_s;
  }
  return sample;
}

constexpr int matrices = 8;
const std::vector<std::string> variants{"fast", "cpu", "klu"};

// A file of `matrices` by `variants`, the numeric phase of one run `slow_down` times as slow.
nlohmann::ordered_json measured_file(std::uint64_t seed, int repetitions, double slow_down,
                                     bool refactorization) {
  std::vector<RunRecord> runs;
  for (int m = 0; m < matrices; ++m) {
    for (const std::string& variant : variants) {
      RunRecord run = on_matrix(test::scaled_run(fmt::format("{}-{}", m, variant), variant, 1),
                                fmt::format("{}", static_cast<char>('a' + m)));
      const double unit = 0.01 * (m + 1);
      const bool planted = m == 3 && variant == "cpu";
      const double once = planted && !refactorization ? slow_down : 1;
      const double again = planted && refactorization ? slow_down : 1;
      const std::uint64_t stream = 100 * runs.size();
      run.samples.clear();
      run.refactor_samples.clear();
      for (int k = 0; k < repetitions; ++k) {
        run.samples.push_back(noisy_sample(
            {{"order", 2 * unit}, {"symbolic", unit}, {"numeric", once * unit}}, seed, stream, k));
        run.refactor_samples.push_back(noisy_sample(
            {{"numeric", again * unit}, {"solve", 0.001 * unit}}, seed, stream + 50, k));
      }
      runs.push_back(std::move(run));
    }
  }
  return file_with(std::move(runs));
}

std::vector<std::string> changes_of(const FileComparison& comparison) {
  std::vector<std::string> changes;
  for (const ComparedPhase& phase : comparison.phases) {
    const Verdict verdict = phase.estimate.verdict;
    if (verdict != Verdict::slower && verdict != Verdict::faster) continue;
    changes.push_back(
        fmt::format("{} {} {} {}", phase.matrix, phase.variant, phase.phase, to_string(verdict)));
  }
  return changes;
}

// 72 phases of files with 7 and 12 repetitions, one of them a tenth slower.
TEST(FileComparison, FindsAPlantedChangeAndNothingElse) {
  for (const std::uint64_t seed : {1, 2}) {
    const auto before = measured_file(seed, 7, 1, false);
    const auto one_shot = compare_files(before, measured_file(seed + 100, 12, 1.1, false), {});
    EXPECT_EQ(one_shot.phases.size(), 3u * matrices * variants.size());
    EXPECT_THAT(changes_of(one_shot), testing::ElementsAre("d cpu numeric slower"));
    EXPECT_TRUE(is_worse(one_shot));
    const auto repeated = compare_files(before, measured_file(seed + 200, 12, 1.1, true), {});
    EXPECT_THAT(changes_of(repeated), testing::ElementsAre("d cpu refactor slower"));
    const auto nothing = compare_files(before, measured_file(seed + 300, 12, 1, false), {});
    EXPECT_THAT(changes_of(nothing), testing::IsEmpty());
    EXPECT_FALSE(is_worse(nothing));
    const auto mended = compare_files(measured_file(seed, 12, 1.1, false),
                                      measured_file(seed + 400, 7, 1, false), {});
    EXPECT_THAT(changes_of(mended), testing::ElementsAre("d cpu numeric faster"));
    EXPECT_FALSE(is_worse(mended));
  }
}

// Medians shown and the ratio are of the same samples.
TEST(FileComparison, UsesAllSamplesOfUnequalFiles) {
  const auto comparison =
      compare_files(measured_file(1, 5, 1, false), measured_file(2, 11, 1, false), everything());
  for (const ComparedPhase& phase : comparison.phases) {
    EXPECT_DOUBLE_EQ(phase.estimate.ratio, phase.median_a / phase.median_b);
  }
}

TEST(FileComparison, HasAThresholdAndAFloor) {
  const auto before = measured_file(1, 7, 1, false), after = measured_file(2, 12, 1.1, false);
  ComparisonOptions options;
  options.threshold = 0.2;
  EXPECT_THAT(changes_of(compare_files(before, after, options)), testing::IsEmpty());
  options.threshold = 0.05;
  options.floor_s = 0.01;  // the change is of 4 ms
  EXPECT_THAT(changes_of(compare_files(before, after, options)), testing::IsEmpty());
  options.floor_s = 0.002;
  EXPECT_THAT(changes_of(compare_files(before, after, options)), testing::SizeIs(1));
}

TEST(FileComparison, ComparesThePhasesThatAreWanted) {
  const auto a = measured_file(1, 5, 1, false), b = measured_file(2, 5, 1, false);
  for (const ComparedPhase& phase :
       compare_files(a, b, phases({"refactor/numeric", "order"})).phases) {
    EXPECT_THAT(phase.phase, testing::AnyOf("refactor/numeric", "order"));
  }
  for (const ComparedPhase& phase : compare_files(a, b, {}).phases) {
    EXPECT_THAT(phase.phase, testing::AnyOf("total", "numeric", "refactor"));
  }
}

TEST(FileComparison, SaysThatAPhaseIsUnknown) {
  const auto a = measured_file(1, 5, 1, false);
  const auto comparison = compare_files(a, a, phases({"total", "nmeric"}));
  ASSERT_THAT(comparison.faults, testing::SizeIs(1));
  EXPECT_THAT(
      comparison.faults.front(),
      testing::AllOf(HasSubstr("\"nmeric\""), HasSubstr("refactor/solve, symbolic, total")));
  EXPECT_TRUE(is_worse(comparison));
}

TEST(FileComparison, SaysThatNothingIsInCommon) {
  const auto cpu = file_with({test::scaled_run("1", "cpu", 1)});
  const auto none = compare_files(cpu, file_with({test::scaled_run("1", "fast", 1)}), {});
  EXPECT_THAT(none.faults, testing::ElementsAre(HasSubstr("no run of A is in B")));
  EXPECT_TRUE(is_worse(none));
  RunRecord failed = test::scaled_run("1", "cpu", 1);
  failed.outcome = Outcome::inaccurate;
  const auto both = compare_files(file_with({failed}), file_with({failed}), {});
  EXPECT_THAT(both.faults, testing::ElementsAre(HasSubstr("no run is ok in both files")));
  EXPECT_TRUE(is_worse(both));
}

TEST(FileComparison, GivesNoVerdictBelowFiveSamples) {
  const auto comparison =
      compare_files(measured_file(1, 4, 1, false), measured_file(2, 9, 2, false), {});
  EXPECT_THAT(comparison.faults, testing::ElementsAre(HasSubstr("has the 5 samples")));
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("4 samples in one file")));
  EXPECT_TRUE(is_worse(comparison));
}

TEST(FileComparison, SaysWhichPhaseOneFileLacksAndWhatRunsWarnOf) {
  RunRecord without = test::scaled_run("1", "cpu", 1);
  without.refactor_samples.clear();
  without.warnings = {{"host_busy", "load 40"}};
  const auto comparison =
      compare_files(file_with({test::scaled_run("1", "cpu", 1)}), file_with({without}), {});
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("phase refactor only in A")));
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("warnings in B: host_busy")));
}

// Batches have phases and inputs of their own.
TEST(FileComparison, TakesBatches) {
  const auto a = file_with({test::batch_run("1", "ours", 1)});
  const auto b = file_with({test::batch_run("2", "ours", 1.5)});
  ComparisonOptions options;
  options.floor_s = 0;
  const auto comparison = compare_files(a, b, options);
  EXPECT_THAT(comparison.faults, testing::IsEmpty());
  EXPECT_THAT(changes_of(comparison), Contains(HasSubstr("ours numeric slower")));
}

}  // namespace
}  // namespace lufact
