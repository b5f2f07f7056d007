// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/supervisor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <memory>
#include <span>

#include "app/config/invocation.hpp"
#include "app/config/machine_json.hpp"
#include "app/process/interrupt.hpp"
#include "app/run/run_messages.hpp"
#include "app/run/run_progress.hpp"
#include "app/run/turns.hpp"
#include "app/terminal/terminal.hpp"
#include "core/report/comparisons.hpp"
#include "core/report/result_writer.hpp"
#include "core/report/run_tables.hpp"

namespace lufact {
namespace {

std::vector<RunRecord> run_input(const Workload& workload, const VariantPlans& plans,
                                 const Input& input, WorkerPool& pool, RunProgress& progress,
                                 const FinishedRun& finished) {
  const InputHash hash = workload.hash(input);
  std::vector<PendingRun> runs;
  for (const auto& plan : plans) {
    runs.push_back({plan.get(), workload.begin_record(*plan, input, hash.sha256)});
  }
  return run_in_turns(std::move(runs), input, hash.unreadable, pool, progress, finished);
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

// Prints what there is to see as soon as it is known.
class LiveTables {
 public:
  LiveTables(const SupervisedRuns& runs)
      : wanted_(!runs.quiet && runs.output != "-"),
        context_{{runs.workload.facts()}, runs.seed},
        style_(text_style(STDOUT_FILENO)) {}

  void input(std::span<const RunRecord> runs) {
    if (!runs.empty()) print(std::array{input_section(runs, context_)});
  }
  void summary(std::span<const RunRecord> runs) { print(summary_sections(runs, context_)); }

 private:
  void print(std::span<const Section> sections) {
    if (!wanted_ || sections.empty()) return;
    fmt::print("{}{}", printed_ ? "\n" : "", text_of(sections, style_));
    std::fflush(stdout);
    printed_ = true;
  }

  bool wanted_, printed_ = false;
  TableContext context_;
  TextStyle style_;
};

}  // namespace

int supervise(const SupervisedRuns& runs, const std::vector<std::string>& argv) {
  const InterruptGuard guard;
  const Machine machine = query_machine_in_child(runs.device);
  const VariantPlans plans = runs.plan(machine);
  check_inputs(runs, plans);
  const std::unique_ptr<ResultWriter> writer = open_writer(runs.output);
  LiveTables tables(runs);
  RunMessages messages(!runs.quiet);
  RunProgress progress(runs.inputs.size(), !runs.quiet);
  const FinishedRun journal = [&](RunRecord run, double) {
    runs.workload.complete_records({&run, 1});
    progress.clear();
    messages.tell(run);
    if (writer) writer->append(run);
  };
  ResultFile result;
  result.meta = begin_meta(argv, machine);
  result.config = runs.config;
  WorkerPool pool;
  for (const Input& input : runs.inputs) {
    if (InterruptGuard::interrupted()) break;
    auto records = run_input(runs.workload, plans, input, pool, progress, journal);
    runs.workload.complete_records(records);
    progress.clear();
    tables.input(records);
    std::ranges::move(records, std::back_inserter(result.runs));
  }
  complete_meta(result.meta, runs.device);
  runs.workload.complete_records(result.runs);
  result.comparisons = compare_runs(result.runs, runs.seed);
  if (writer) writer->finish(result);
  tables.summary(result.runs);
  return InterruptGuard::interrupted() ? exit_status::interrupted : status_of(result.runs);
}

}  // namespace lufact
