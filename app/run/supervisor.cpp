// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/supervisor.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/config/invocation.hpp"
#include "app/config/machine_json.hpp"
#include "app/process/interrupt.hpp"
#include "app/run/earlier_runs.hpp"
#include "app/run/run_errors.hpp"
#include "app/run/turns.hpp"
#include "core/base/error.hpp"
#include "core/report/build_info.hpp"
#include "core/report/comparisons.hpp"
#include "core/report/ratio_table.hpp"
#include "core/report/result_writer.hpp"
#include "core/report/table.hpp"

namespace lufact {
namespace {

// Every variant on one input, before they run.
std::vector<RunRecord> begin_records(const SupervisedRuns& runs, const VariantPlans& plans,
                                     const Input& input, const std::string& sha256,
                                     const std::string& environment) {
  std::vector<RunRecord> records;
  for (const auto& plan : plans) {
    records.push_back(runs.workload.begin_record(*plan, input, sha256));
    records.back().environment = environment;
  }
  return records;
}

std::vector<RunRecord> run_input(const SupervisedRuns& runs, const VariantPlans& plans,
                                 const Input& input, const std::string& environment,
                                 const EarlierRuns& earlier, WorkerPool& pool,
                                 const FinishedRun& finished) {
  const InputHash hash = runs.workload.hash(input);
  std::vector<RunRecord> records = begin_records(runs, plans, input, hash.sha256, environment);
  if (auto done = earlier.of_input(records)) return std::move(*done);
  std::vector<PendingRun> pending;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    pending.push_back({plans[k].get(), std::move(records[k])});
  }
  return run_in_turns(std::move(pending), input, hash.unreadable, pool, finished);
}

EarlierRuns find_earlier_runs(const SupervisedRuns& runs, const VariantPlans& plans,
                              const std::string& environment) {
  if (!runs.resume) return {};
  if (!runs.output) throw UsageError("--resume goes on with a file: name it with --output");
  std::vector<std::vector<RunRecord>> wanted;
  for (const Input& input : runs.inputs) {
    wanted.push_back(
        begin_records(runs, plans, input, runs.workload.hash(input).sha256, environment));
  }
  return {*runs.output, wanted};
}

void check_inputs(const SupervisedRuns& runs, const VariantPlans& plans) {
  for (const Input& input : runs.inputs) {
    for (const auto& plan : plans) runs.workload.check(*plan, input);
  }
}

std::unique_ptr<ResultWriter> open_writer(const SupervisedRuns& runs, EarlierRuns& earlier) {
  if (!runs.output) return nullptr;
  auto writer = runs.resume
                    ? std::make_unique<ResultWriter>(
                          *runs.output, [&](const RunRecord& run) { return earlier.judge(run); })
                    : std::make_unique<ResultWriter>(*runs.output);
  if (const auto kept = writer->kept_journal()) {
    fmt::print(stderr, "lufact: {} kept as {}\n",
               runs.resume ? "runs of another program, machine or command line were"
                           : "an unfinished journal, with which --resume would have gone on, was",
               kept->string());
  }
  if (runs.resume && !runs.quiet) {
    fmt::print(stderr, "lufact: {} runs are done already\n", writer->earlier_runs().size());
  }
  return writer;
}

}  // namespace

int supervise(const SupervisedRuns& runs, const std::vector<std::string>& argv) {
  const InterruptGuard guard;
  const Machine machine = query_machine_in_child(runs.device);
  const VariantPlans plans = runs.plan(machine);
  check_inputs(runs, plans);
  const std::string environment = environment_of(machine, build_info());
  EarlierRuns earlier = find_earlier_runs(runs, plans, environment);
  const std::unique_ptr<ResultWriter> writer = open_writer(runs, earlier);
  RunErrors errors;
  const FinishedRun journal = [&](RunRecord run, double) {
    runs.workload.complete_records({&run, 1});
    if (writer) writer->append(run);
    errors.tell(run);  // fails where the terminal is gone
  };
  ResultFile result;
  result.meta = begin_meta(argv, machine);
  result.config = runs.config;
  WorkerPool pool;
  for (const Input& input : runs.inputs) {
    if (InterruptGuard::interrupted()) break;
    for (RunRecord& run : run_input(runs, plans, input, environment, earlier, pool, journal)) {
      result.runs.push_back(std::move(run));
    }
  }
  complete_meta(result.meta, runs.device);
  runs.workload.complete_records(result.runs);
  result.comparisons = compare_runs(result.runs, runs.seed);
  if (writer) writer->finish(result);
  if (!runs.quiet && runs.output != "-") {
    fmt::print("{}{}", phase_table(result.runs, runs.workload.facts().counted_phases),
               ratio_table(result.runs, result.comparisons));
  }
  return InterruptGuard::interrupted() ? exit_status::interrupted : status_of(result.runs);
}

}  // namespace lufact
