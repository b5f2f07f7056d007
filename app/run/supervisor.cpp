// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/supervisor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <memory>
#include <span>
#include <system_error>

#include "app/config/invocation.hpp"
#include "app/config/machine_json.hpp"
#include "app/process/interrupt.hpp"
#include "app/run/earlier_runs.hpp"
#include "app/run/launch.hpp"
#include "app/run/run_messages.hpp"
#include "app/run/run_progress.hpp"
#include "app/run/turns.hpp"
#include "app/terminal/terminal.hpp"
#include "core/base/error.hpp"
#include "core/report/build_info.hpp"
#include "core/report/comparisons.hpp"
#include "core/report/result_writer.hpp"
#include "core/report/run_tables.hpp"

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
                                 RunProgress& progress, const FinishedRun& finished) {
  const InputHash hash = runs.workload.hash(input);
  std::vector<RunRecord> records = begin_records(runs, plans, input, hash.sha256, environment);
  if (auto done = earlier.of_input(records)) return std::move(*done);
  std::vector<PendingRun> pending;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    pending.push_back({plans[k].get(), std::move(records[k])});
  }
  return run_in_turns(std::move(pending), input, hash.unreadable, pool, progress, finished);
}

EarlierRuns find_earlier_runs(const SupervisedRuns& runs, const VariantPlans& plans,
                              const std::string& environment) {
  if (!runs.resume) return {};
  if (!runs.output || runs.output == "-") {
    throw UsageError("--resume goes on with a file: name it with --output");
  }
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

// Prints what there is to see as soon as it is known.
class LiveTables {
 public:
  LiveTables(const SupervisedRuns& runs, const MachinePeaks& peaks)
      : wanted_(!runs.quiet && runs.output != "-"),
        context_{{runs.workload.facts()}, runs.seed, peaks},
        style_(text_style(STDOUT_FILENO)) {}

  void input(std::span<const RunRecord> runs) {
    if (!runs.empty()) print(std::array{input_section(runs, context_)});
  }
  void summary(std::span<const RunRecord> runs) { print(summary_sections(runs, context_)); }
  // Throws std::system_error where somebody would have read what could not be printed.
  void require_printed() const {
    if (lost_ == 0 || nobody_reads(lost_)) return;
    throw std::system_error(lost_, std::generic_category(), "standard output");
  }

 private:
  void print(std::span<const Section> sections) {
    if (!wanted_ || sections.empty()) return;
    const std::string text = (printed_ ? "\n" : "") + text_of(sections, style_);
    // The file is still to come where the terminal is gone.
    const bool printed = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    if (!printed && lost_ == 0) lost_ = errno;
    printed_ = true;
  }

  bool wanted_, printed_ = false;
  int lost_ = 0;  // why something was not printed, the first time
  TableContext context_;
  TextStyle style_;
};

}  // namespace

int supervise(const SupervisedRuns& runs, const std::vector<std::string>& argv) {
  refuse_several_supervisors();
  const InterruptGuard guard;
  const Machine machine = query_machine_in_child(runs.device);
  const VariantPlans plans = runs.plan(machine);
  check_inputs(runs, plans);
  ResultFile result;
  result.meta = begin_meta(argv, machine);
  result.config = runs.config;
  const std::string environment = environment_of(machine, build_info());
  EarlierRuns earlier = find_earlier_runs(runs, plans, environment);
  const std::unique_ptr<ResultWriter> writer = open_writer(runs, earlier);
  LiveTables tables(runs, result.meta.peaks);
  RunMessages messages(!runs.quiet);
  RunProgress progress(runs.inputs.size(), !runs.quiet);
  const FinishedRun journal = [&](RunRecord run, double) {
    runs.workload.complete_records({&run, 1});
    if (writer) writer->append(run);
    progress.clear();
    messages.tell(run);
  };
  WorkerPool pool;
  for (const Input& input : runs.inputs) {
    if (InterruptGuard::interrupted()) break;
    auto records = run_input(runs, plans, input, environment, earlier, pool, progress, journal);
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
  if (!InterruptGuard::interrupted()) {
    tables.require_printed();
    return status_of(result.runs);
  }
  const bool is_file = writer && runs.output && *runs.output != "-";
  if (is_file && !runs.quiet) tell_how_to_go_on(*runs.output);
  return exit_status::interrupted;
}

}  // namespace lufact
