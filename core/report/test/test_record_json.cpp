// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/report/profile_bins.hpp"
#include "core/report/record_json.hpp"
#include "core/report/summary.hpp"
#include "core/report/test/sample_records.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> keys_of(const ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// Paths of all leaves that are null.
void collect_nulls(const ordered_json& node, const std::string& path,
                   std::vector<std::string>& nulls) {
  if (node.is_null()) nulls.push_back(path);
  if (!node.is_structured()) return;
  for (const auto& [key, value] : node.items()) collect_nulls(value, path + "/" + key, nulls);
}

TEST(RecordJson, AFullRecordSurvivesTheRoundTripThroughText) {
  const std::string text = dump_json(to_json(test::full_run()));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(dump_json(to_json(run_from_json(ordered_json::parse(text)))), text);
}

// Most phases do work that nobody counts.
TEST(RecordJson, AFullOkRecordOfASparseRunLeavesOnlyTheseNull) {
  std::vector<std::string> nulls;
  ordered_json written = to_json(test::full_run());
  EXPECT_FALSE(written["rates"]["numeric"]["flops_per_s"].is_null());
  written.erase("rates");
  written.erase("refactor_rates");
  collect_nulls(written, "", nulls);
  EXPECT_THAT(nulls,
              testing::ElementsAre("/error", "/pipeline/peer", "/peer", "/factors/pivots_sha256",
                                   "/memory/driver/unavailable_reason",
                                   "/verification/matrices_checked", "/verification/worst_matrix",
                                   "/verification/pivots", "/batch", "/dense", "/environment"));
}

TEST(RecordJson, ManySystemsSurviveTheRoundTrip) {
  RunRecord run = test::full_run();
  run.systems->worst.reset();
  run.systems->systems_per_s.reset();
  const ordered_json written = to_json(run);
  EXPECT_TRUE(written["systems"]["worst"].is_null());
  EXPECT_EQ(to_json(run_from_json(written)), written);
  ordered_json older = written;  // of a version that knew one system at a time
  older.erase("systems");
  EXPECT_FALSE(run_from_json(older).systems.has_value());
}

TEST(RecordJson, APeerSurvivesTheRoundTrip) {
  const ordered_json written = to_json(test::peer_run("p", 1));
  EXPECT_EQ(written["peer"]["settings"]["pivot_tolerance"], "0.001");
  EXPECT_EQ(to_json(run_from_json(written)), written);
  ordered_json older = written;  // of a version that knew no peers
  older.erase("peer");
  EXPECT_FALSE(run_from_json(older).peer.has_value());
}

TEST(RecordJson, ABatchSurvivesTheRoundTripAndNamesItsInput) {
  const ordered_json written = to_json(test::batch_run("b", "cpu", 1));
  EXPECT_EQ(to_json(run_from_json(written)), written);
  EXPECT_EQ(written["matrix"]["name"], "random 8");
  EXPECT_EQ(written["matrix"]["generator"]["sizes"]["count"], 1000);
  EXPECT_EQ(written["matrix"]["n"], 8);
  EXPECT_TRUE(written["matrix"]["path"].is_null());
  EXPECT_TRUE(written["matrix"]["symmetry"].is_null());
  EXPECT_EQ(keys_of(written["matrix"]), keys_of(to_json(test::full_run())["matrix"]));
}

TEST(RecordJson, ARecordOfSchema20LacksWhatCameLater) {
  const ordered_json written = to_json(test::full_run());
  ordered_json older = written;
  older.erase("batch");
  older["factors"].erase("pivots_sha256");
  for (const char* later : {"matrices_checked", "worst_matrix", "pivots"}) {
    older["verification"].erase(later);
  }
  EXPECT_EQ(to_json(run_from_json(older)), written);
}

TEST(RecordJson, ARecordOfSchema21LacksTheHost) {
  ordered_json older = to_json(test::full_run());
  older.erase("sampling");
  older["host_state"] = nullptr;
  for (const char* list : {"samples", "refactor_samples"}) {
    for (ordered_json& sample : older[list]) sample.erase("host");
  }
  const RunRecord read = run_from_json(older);
  EXPECT_FALSE(read.sampling || read.host_state || read.samples[0].host);
  EXPECT_EQ(read.samples.size(), 5u);
}

TEST(RecordJson, ReadingBackGivesTheSameMembers) {
  const RunRecord run = run_from_json(to_json(test::full_run()));
  EXPECT_EQ(run.outcome, Outcome::ok);
  EXPECT_EQ(run.matrix->generator->sizes.front().first, "ny");
  EXPECT_EQ(run.matrix->generator->seed, 18446744073709551615ULL);
  EXPECT_EQ(run.matrix->symmetry, SymmetryMode::stored);
  EXPECT_EQ(run.matrix->explicit_zeros, ExplicitZeros::keep);
  EXPECT_EQ(run.missing_diagonals_added, 10);
  EXPECT_EQ(run.samples.size(), 5u);
  EXPECT_EQ(run.samples[4].phases[4].name, "symbolic/count");
  EXPECT_EQ(run.samples[4].phases[4].gpu_s, 0.875 * 4 * 68 / 65536.0);
  EXPECT_EQ(run.factors->levels_by_rule.glu1, 80);
  EXPECT_EQ(run.memory.chunk_sizes, (std::vector<Offset>{300, 300}));
  EXPECT_EQ(run.numeric->level_kernel_counts->stream, 3);
  EXPECT_EQ(run.verification->refinement_steps, 2);
  EXPECT_EQ(run.profile->levels.kernel_mode[1], "large");
  EXPECT_EQ(run.warnings[0].code, "near_singular");
}

TEST(RecordJson, AnEmptyRecordHasEveryKeyOfAFullOne) {
  const ordered_json empty = to_json(test::empty_run()), full = to_json(test::full_run());
  EXPECT_EQ(keys_of(empty), keys_of(full));
  for (const char* section : {"matrix", "pipeline", "factors", "memory"}) {
    EXPECT_EQ(keys_of(empty[section]), keys_of(full[section])) << section;
  }
  EXPECT_TRUE(empty["matrix"]["n"].is_null());
  EXPECT_TRUE(empty["matrix"]["sha256"].is_null());
  EXPECT_TRUE(empty["memory"]["chunk_sizes"].is_null());
  EXPECT_TRUE(empty["verification"].is_null());
  EXPECT_EQ(empty["summary"], (ordered_json{{"total_s", nullptr}}));
  EXPECT_EQ(dump_json(to_json(run_from_json(empty))), dump_json(empty));
}

TEST(RecordJson, SectionsOfAnotherWorkloadAreNull) {
  const ordered_json other = to_json(RunRecord{});
  EXPECT_EQ(keys_of(other), keys_of(to_json(test::full_run())));
  for (const char* section : {"matrix", "pipeline", "factors", "numeric", "unified_memory"}) {
    EXPECT_TRUE(other[section].is_null()) << section;
  }
  RunRecord run;
  run.workload = "batch";
  run.input = {"random 8", std::nullopt, std::string(64, 'f'), std::nullopt, 64};
  EXPECT_EQ(to_json(run_from_json(to_json(run))), to_json(run));
}

TEST(RecordJson, KeysStandInTheOrderOfTheContract) {
  const ordered_json run = to_json(test::full_run());
  EXPECT_THAT(keys_of(run),
              testing::ElementsAre("id", "workload", "mode", "variant", "input", "outcome", "error",
                                   "until", "matrix", "pipeline", "peer", "setup", "samples",
                                   "refactor_samples", "sampling", "refactoring", "summary",
                                   "refactor_summary", "rates", "refactor_rates", "factors",
                                   "memory", "unified_memory", "numeric", "gsofa", "supernodes",
                                   "distribution", "systems", "verification", "profile", "batch",
                                   "dense", "host_state", "warnings", "sweep", "environment"));
  EXPECT_THAT(keys_of(run["samples"][0]),
              testing::ElementsAre("repetition", "total_s", "unattributed_s", "phases", "host"));
}

TEST(RecordJson, AMatrixWithoutRowsIsKnownAndNotNull) {
  MatrixFacts facts;
  facts.field = "real";
  EXPECT_EQ(to_json(facts)["n"], 0);
  EXPECT_EQ(to_json(facts)["structural_symmetry"], 1.0);
}

TEST(RecordJson, NumbersThatAreNotFiniteBecomeNull) {
  RunRecord run = test::full_run();
  run.verification->backward_error = infinity;
  run.numeric->largest_perturbation = not_a_number;
  run.samples[0].total_s = -infinity;
  const ordered_json written = to_json(run);
  EXPECT_TRUE(written["verification"]["backward_error"].is_null());
  EXPECT_TRUE(written["numeric"]["largest_perturbation"].is_null());
  EXPECT_TRUE(written["samples"][0]["total_s"].is_null());
  EXPECT_EQ(written["summary"]["total_s"]["n"], 4);
  const RunRecord back = run_from_json(written);
  EXPECT_FALSE(back.verification->backward_error.has_value());
  EXPECT_TRUE(std::isnan(back.numeric->largest_perturbation));
}

TEST(RecordJson, SamplesAndPhasesAndMatricesTravelAlone) {
  const RunRecord run = test::full_run();
  const Sample sample = sample_from_json(json::parse(dump_json(to_json(run.samples[1]))));
  EXPECT_EQ(to_json(sample), to_json(run.samples[1]));
  const PhaseTime phase = phase_from_json(to_json(run.setup[0]));
  EXPECT_EQ(to_json(phase), to_json(run.setup[0]));
  EXPECT_EQ(to_json(matrix_from_json(to_json(*run.matrix))), to_json(*run.matrix));
}

TEST(RecordJson, RefusesWhatItDoesNotKnow) {
  ordered_json run = to_json(test::full_run());
  run["outcome"] = "fine";
  EXPECT_THROW(run_from_json(run), std::invalid_argument);
  run = to_json(test::full_run());
  run["matrix"]["symmetry"] = "mirror";
  EXPECT_THROW(run_from_json(run), std::invalid_argument);
  run = to_json(test::full_run());
  run.erase("factors");
  EXPECT_THROW(run_from_json(run), json::exception);
  run = to_json(test::full_run());
  run["factors"]["nnz_l"] = "many";
  EXPECT_THROW(run_from_json(run), json::exception);
}

TEST(RecordJson, BytesThatAreNotUtf8DoNotStopTheWriter) {
  RunRecord run = test::full_run();
  run.matrix->path = "m\xfftrix.mtx";
  const json parsed = json::parse(dump_json(to_json(run)));
  EXPECT_EQ(parsed["matrix"]["path"], "m\xef\xbf\xbdtrix.mtx");
}

TEST(Summary, HasTheQuartilesOfTotalAndTopLevelPhases) {
  const ordered_json summary = to_json(test::full_run())["summary"];
  EXPECT_THAT(keys_of(summary),
              testing::ElementsAre("total_s", "scale", "order", "transfer", "symbolic", "levelize",
                                   "numeric", "solve", "verify"));
  const ordered_json expected = {{"n", 5},
                                 {"median", 66 / 65536.0},
                                 {"q1", 65 / 65536.0},
                                 {"q3", 67 / 65536.0},
                                 {"min", 64 / 65536.0},
                                 {"max", 68 / 65536.0}};
  EXPECT_EQ(summary["scale"], expected);
  EXPECT_EQ(to_json(test::full_run())["refactor_summary"]["numeric"]["n"], 2);
}

TEST(Summary, APhaseOfSomeRepetitionsCountsThoseOnly) {
  std::vector<Sample> samples = test::full_run().samples;
  samples[0].phases.clear();
  const auto series = top_level_series(samples);
  EXPECT_EQ(series[0].seconds.size(), 5u);
  EXPECT_EQ(series[1].name, "scale");
  EXPECT_THAT(series[1].repetitions, testing::ElementsAre(1, 2, 3, 4));
}

TEST(ProfileBins, KeepShortListsAndJoinLongOnes) {
  ProfileRecord profile;
  for (Offset k = 0; k < 10000; ++k) {
    profile.levels.columns.push_back(2);
    profile.levels.max_subcolumns.push_back(k);
    profile.levels.kernel_mode.push_back(k < 4 ? "small" : "large");
    profile.frontier.first_row.push_back(5 * k);
    profile.frontier.rows.push_back(k == 0 ? 3 : 1);
    profile.frontier.max_frontier.push_back(k);
    profile.frontier.bytes_per_row.push_back(k == 0 ? 10 : 20);
    profile.frontier.part.push_back(k < 5000 ? 0 : 1);
    profile.sources.first_row.push_back(k);
    profile.sources.rows.push_back(1);
    profile.sources.mean_frontier.push_back(static_cast<double>(k));
    profile.sources.iterations.push_back(3);
    profile.sources.edges.push_back(k);
  }
  profile.frontier.parts.rows = {5002, 5000};
  const ProfileRecord bins = bin_profile(profile);
  ASSERT_EQ(bins.levels.columns.size(), 3334u);  // of 3 each
  EXPECT_EQ(bins.levels.columns[0], 6);
  EXPECT_EQ(bins.levels.columns[3333], 2);
  EXPECT_EQ(bins.levels.max_subcolumns[1], 5);
  EXPECT_EQ(bins.levels.kernel_mode[0], "small");
  EXPECT_EQ(bins.levels.kernel_mode[1], "mixed");
  EXPECT_EQ(bins.levels.kernel_mode[2], "large");
  EXPECT_EQ(bins.frontier.first_row[1], 15);
  EXPECT_EQ(bins.frontier.rows[0], 5);
  EXPECT_EQ(bins.frontier.max_frontier[3333], 9999);
  EXPECT_EQ(bins.frontier.part[0], 0);
  EXPECT_EQ(bins.frontier.part[3333], 1);
  EXPECT_EQ(bins.frontier.parts.rows, profile.frontier.parts.rows);
  EXPECT_DOUBLE_EQ(bins.frontier.bytes_per_row[0], (3 * 10 + 20 + 20) / 5.0);
  EXPECT_EQ(bins.sources.first_row[1], 3);
  EXPECT_EQ(bins.sources.rows[1], 3);
  EXPECT_DOUBLE_EQ(bins.sources.mean_frontier[1], 4);
  EXPECT_EQ(bins.sources.iterations[1], 9);
  EXPECT_EQ(bins.sources.edges[1], 12);
  EXPECT_EQ(bin_profile(bins).levels.columns, bins.levels.columns);
}

}  // namespace
}  // namespace lufact
