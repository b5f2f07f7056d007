// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/supervisor.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/config/invocation.hpp"
#include "app/config/machine_json.hpp"
#include "app/process/interrupt.hpp"
#include "app/run/run_errors.hpp"
#include "app/run/turns.hpp"
#include "core/report/comparisons.hpp"
#include "core/report/ratio_table.hpp"
#include "core/report/result_writer.hpp"
#include "core/report/table.hpp"

namespace lufact {
namespace {

std::vector<RunRecord> run_input(const Workload& workload, const VariantPlans& plans,
                                 const Input& input, WorkerPool& pool,
                                 const FinishedRun& finished) {
  const InputHash hash = workload.hash(input);
  std::vector<PendingRun> runs;
  for (const auto& plan : plans) {
    runs.push_back({plan.get(), workload.begin_record(*plan, input, hash.sha256)});
  }
  return run_in_turns(std::move(runs), input, hash.unreadable, pool, finished);
}

void check_inputs(const SupervisedRuns& runs, const VariantPlans& plans) {
  for (const Input& input : runs.inputs) {
    for (const auto& plan : plans) runs.workload.check(*plan, input);
  }
}

std::unique_ptr<ResultWriter> open_writer(const std::optional<std::string>& output) {
  if (!output) return nullptr;
  auto writer = std::make_unique<ResultWriter>(*output);
  if (const auto kept = writer->kept_journal()) {
    fmt::print(stderr, "lufact: an unfinished journal was kept as {}\n", kept->string());
  }
  return writer;
}

}  // namespace

int supervise(const SupervisedRuns& runs, const std::vector<std::string>& argv) {
  const InterruptGuard guard;
  const Machine machine = query_machine_in_child(runs.device);
  const VariantPlans plans = runs.plan(machine);
  check_inputs(runs, plans);
  const std::unique_ptr<ResultWriter> writer = open_writer(runs.output);
  RunErrors errors;
  const FinishedRun journal = [&](RunRecord run, double) {
    runs.workload.complete_records({&run, 1});
    errors.tell(run);
    if (writer) writer->append(run);
  };
  ResultFile result;
  result.meta = begin_meta(argv, machine);
  result.config = runs.config;
  WorkerPool pool;
  for (const Input& input : runs.inputs) {
    if (InterruptGuard::interrupted()) break;
    for (RunRecord& run : run_input(runs.workload, plans, input, pool, journal)) {
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
