// SPDX-License-Identifier: BSD-3-Clause
// Contradictions inside result files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/report/consistency.hpp"
#include "core/report/record_json.hpp"
#include "core/report/result_schema.hpp"
#include "core/report/test/sample_records.hpp"
#include "core/report/test/written_file.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using test::Mutation;
using test::written_file;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Inside symbolic/count, which marks of the device have timed, as `gpu_s` tells.
TEST(Consistency, HoldsPartsByTheClockToPhasesByTheClock) {
  json file = written_file();
  json& phases = file.at("/runs/0/samples/0/phases"_json_pointer);
  const auto count = std::ranges::find_if(
      phases, [](const json& phase) { return phase.at("name") == "symbolic/count"; });
  ASSERT_NE(count, phases.end());
  count->at("gpu_s") = count->at("wall_s");
  json part = *count;
  part.at("name") = "symbolic/count/allocate";
  part.at("wall_s") = 2 * part.at("wall_s").get<double>();
  for (const bool by_marks : {false, true}) {
    part.at("gpu_s") = by_marks ? part.at("wall_s") : json(nullptr);
    json changed = file;
    changed.at("/runs/0/samples/0/phases"_json_pointer).push_back(part);
    const auto of_count = Contains(HasSubstr("the parts of phase symbolic/count take"));
    const auto found = consistency_violations(changed, {sparse_facts()});
    if (by_marks) {
      EXPECT_THAT(found, of_count);
    } else {
      EXPECT_THAT(found, Not(of_count));
    }
  }
}

TEST(Consistency, FindsEveryContradiction) {
  const std::vector<std::pair<Mutation, std::string>> cases = {
      {{"/runs/1/sweep/variant", "ooc"},
       "runs[1].sweep: variant ooc occurs twice with matrix grid"},
      {{"/runs/0/workload", "batch"}, "runs[0]: workload batch is not known here"},
      {{"/runs/0/matrix", nullptr}, "runs[0]: a sparse run without matrix"},
      {{"/runs/0/factors", nullptr}, "runs[0]: a sparse run without factors"},
      {{"/runs/0/input/sha256", nullptr}, "runs[0]: sha256 of input is not that of matrix"},
      {{"/runs/0/samples/2/total_s", 1.0}, "runs[0].samples[2]: total_s is 1"},
      {{"/runs/0/samples/0/phases/3/wall_s", 1e-4}, "the parts of phase symbolic take"},
      {{"/runs/0/samples/0/phases/1/name", "scale"}, "phase scale occurs twice"},
      {{"/runs/0/samples/0/phases/3/name", "order/x"}, "phase symbolic has parts but is not there"},
      {{"/runs/0/setup/phases/1/name", "context"}, "runs[0].setup: phase context occurs twice"},
      {{"/runs/0/summary/numeric/median", 1.0}, "runs[0].summary: numeric does not agree"},
      {{"/runs/0/summary/numeric", nullptr}, "runs[0].summary: numeric does not agree"},
      {{"/runs/0/summary/init",
        {{"n", 1}, {"median", 0}, {"q1", 0}, {"q3", 0}, {"min", 0}, {"max", 0}}},
       "runs[0].summary: init is in no sample"},
      {{"/runs/0/refactor_summary/total_s", nullptr}, "runs[0].refactor_summary: total_s"},
      {{"/runs/0/refactor_samples/0/total_s", 1.0}, "runs[0].refactor_samples[0]: total_s is 1"},
      {{"/runs/0/refactoring/phases", "events"}, "runs[0].refactor_samples[0]: total_s is"},
      {{"/runs/0/verification/passed", false}, "ok without a verification that passed"},
      {{"/runs/0/verification", nullptr}, "ok without a verification that passed"},
      {{"/runs/0/verification/backward_error", 1e-9}, "above the threshold"},
      {{"/runs/0/verification/backward_error", nullptr}, "without backward_error and threshold"},
      {{"/runs/0/outcome", "timeout"}, "outcome timeout without an error"},
      {{"/runs/2/outcome", "ok"}, "runs[2]: outcome ok with an error"},
      {{"/runs/0/factors/fill_in", 5}, "fill_in 5 is not"},
      {{"/runs/0/pipeline/peer", "klu"}, "runs[0]: mode ooc names a peer"},
      {{"/runs/4/pipeline/peer", nullptr}, "runs[4]: mode peer without the name of the peer"},
      {{"/runs/4/peer", nullptr}, "runs[4]: a peer that is not described"},
      {{"/runs/4/peer/fused/numeric", "order"}, "phase numeric has times although another one"},
      {{"/runs/0/factors/fill_ratio", 2.0}, "fill_ratio 2 is not"},
      {{"/runs/0/memory/budget_bytes", 5}, "passes the budget of 5"},
      {{"/runs/0/profile/levels/columns", {1}}, "the lists of levels differ in length"},
      {{"/runs/0/host_state/waited_share", 0.5}, "runs[0].host_state: waited_share is 0.5"},
      {{"/runs/0/host_state/foreign_processors", nullptr}, "foreign_processors is null"},
      {{"/runs/0/sampling/noise_percent", 50}, "runs[0].sampling: noise_percent is 50"},
      {{"/comparisons/0/id", "nobody"}, "comparisons[0]: id is the id of no run"},
  };
  for (const auto& [mutation, message] : cases) {
    json file = written_file();
    file[json::json_pointer(mutation.pointer)] = mutation.value;
    EXPECT_THAT(schema_violations(file), IsEmpty()) << mutation.pointer;
    EXPECT_THAT(consistency_violations(file, {sparse_facts()}), Contains(HasSubstr(message)))
        << mutation.pointer;
  }
}

TEST(Consistency, EveryWorkloadCountsItsOwnPhases) {
  static constexpr std::array<std::string_view, 1> counted{"solve"};
  RunRecord run = test::minimal_run();
  run.workload = "batch";
  run.matrix.reset();
  run.pipeline.reset();
  run.factors.reset();
  PhaseTime solve, order;
  solve.name = "solve";
  solve.wall_s = 2;
  order.name = "order";
  order.wall_s = 1;
  run.samples = {Sample{0, 2, 0, {solve, order}}};
  const WorkloadFacts batch{"batch", counted, {}, {}};
  EXPECT_THAT(run_consistency_violations(to_json(run), {sparse_facts(), batch}), IsEmpty());
  run.factors.emplace();
  EXPECT_THAT(run_consistency_violations(to_json(run), {batch}),
              ElementsAre("run: a batch run with factors"));
  run.workload = "sparse";
  EXPECT_THAT(run_consistency_violations(to_json(run), {sparse_facts()}),
              Contains(HasSubstr("total_s is 2")));
}

TEST(Consistency, AllowsPartsToExceedTheirPhaseByTheErrorOfTwoClocks) {
  json file = written_file();
  json& sample = file["runs"][0]["samples"][0];
  sample["phases"][4]["wall_s"] = sample["phases"][3]["wall_s"].get<double>() -
                                  sample["phases"][5]["wall_s"].get<double>() -
                                  sample["phases"][10]["wall_s"].get<double>() -
                                  sample["phases"][11]["wall_s"].get<double>() + 0.5e-4;
  EXPECT_THAT(consistency_violations(file, {sparse_facts()}), IsEmpty());
}

TEST(Consistency, ARunThatIsNotVerifiedMustSaySo) {
  RunRecord run = test::minimal_run();
  run.verification.reset();
  EXPECT_THAT(run_consistency_violations(to_json(run), {sparse_facts()}),
              ElementsAre(HasSubstr("ok without")));
  run.warnings.push_back({"unverified", "--verify none"});
  EXPECT_THAT(run_consistency_violations(to_json(run), {sparse_facts()}), IsEmpty());
}

TEST(Consistency, ARunThatStopsEarlierNeedsNoBackwardError) {
  RunRecord run = test::minimal_run();
  run.until = "levelize";
  run.verification->backward_error.reset();
  EXPECT_THAT(run_consistency_violations(to_json(run), {sparse_facts()}), IsEmpty());
}

}  // namespace
}  // namespace lufact
