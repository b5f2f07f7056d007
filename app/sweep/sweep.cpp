// SPDX-License-Identifier: BSD-3-Clause
#include "app/sweep/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "app/config/invocation.hpp"
#include "app/process/interrupt.hpp"
#include "app/run/earlier_runs.hpp"
#include "app/run/run_messages.hpp"
#include "app/run/run_progress.hpp"
#include "app/run/turns.hpp"
#include "app/sweep/sweep_progress.hpp"
#include "app/terminal/terminal.hpp"
#include "core/base/error.hpp"
#include "core/matrix/reader.hpp"
#include "core/report/comparisons.hpp"
#include "core/report/record_json.hpp"
#include "core/report/result_writer.hpp"
#include "core/report/run_tables.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

using RunName = std::pair<std::string, std::string>;  // input and variant

struct HashedInput {
  const PlannedInput* planned = nullptr;
  InputHash hash;
};

// Makes what is to be generated and hashes everything, so that earlier runs can be recognised.
std::vector<HashedInput> prepare_inputs(const SweepPlan& sweep) {
  const Workload& workload = *sweep.config.workload;
  std::vector<HashedInput> inputs;
  for (const PlannedInput& planned : sweep.inputs) {
    if (InterruptGuard::interrupted()) break;
    HashedInput input{&planned, {"", planned.missing}};
    if (planned.missing.empty()) {
      if (planned.input.generator) workload.make_input(planned.input);
      input.hash = workload.hash(planned.input);
    }
    const SweepInput& entry = *planned.entry;
    if (entry.generator && entry.stand_in_for) {
      fmt::print(stderr, "lufact: matrix '{}' is generated and stands in for {}\n", entry.name,
                 *entry.stand_in_for);
    }
    if (!input.hash.unreadable.empty()) {
      fmt::print(stderr, "lufact: matrix '{}': {}\n", entry.name, input.hash.unreadable);
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

RunRecord begin_sweep_record(const SweepConfig& config, const HashedInput& input,
                             const PlannedRun& run, const std::string& environment,
                             const std::string& invocation) {
  const SweepInput& entry = *input.planned->entry;
  RunRecord record =
      config.workload->begin_record(*run.plan, input.planned->input, input.hash.sha256);
  record.sweep =
      SweepRecord{config.name, entry.name, run.variant->name, run.options, entry.stand_in_for,
                  environment, invocation, std::nullopt,      std::nullopt};
  record.environment = environment;
  return record;
}

// A folder that cannot be made is wrong usage.
void make_output_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw UsageError(fmt::format("--output-dir {}: {}", folder, error.message()));
  }
}

void refuse_to_overwrite(const std::string& output) {
  if (read_earlier_runs(output).empty()) return;
  throw UsageError(fmt::format(
      "{} holds runs already: --resume goes on with them; another --output-dir begins anew",
      output));
}

// A sweep under way.
class Sweep {
 public:
  Sweep(const SweepRequest& request, const SweepPlan& plan, const std::vector<std::string>& argv)
      : request_(request),
        plan_(plan),
        meta_(begin_meta(argv, plan.machine)),
        inputs_(prepare_inputs(plan)) {
    const std::string environment = environment_of(plan.machine, meta_.build);
    for (const HashedInput& input : inputs_) {
      for (const PlannedRun& run : input.planned->runs) {
        RunRecord record =
            begin_sweep_record(plan.config, input, run, environment, meta_.started_at);
        order_.push_back(name_of(record));
        wanted_.emplace(name_of(record), std::move(record));
      }
    }
  }

  int run() {
    open_output();
    RunMessages messages(!request_.quiet);
    SweepProgress progress(wanted_.size(), done_.size(), request_.quiet);
    for (const RunName& name : order_) {
      if (!done_.contains(name)) progress.expect(name.second);
    }
    RunProgress now(inputs_to_run(), !request_.quiet);
    const FinishedRun finished = [&](const RunRecord& run, double elapsed_s) {
      RunRecord record = run;
      record.sweep->finished_at = utc_timestamp(std::chrono::system_clock::now());
      record.sweep->elapsed_s = elapsed_s;
      plan_.config.workload->complete_records({&record, 1});
      writer_->append(record);
      now.clear();
      progress.finished(record);
      messages.tell(record);
      done_.insert_or_assign(name_of(record), std::move(record));
    };
    WorkerPool pool;
    for (const HashedInput& input : inputs_) {
      if (InterruptGuard::interrupted()) break;
      std::vector<PendingRun> pending = pending_runs(input);
      if (pending.empty()) continue;
      run_in_turns(std::move(pending), input.planned->input, input.hash.unreadable, pool, now,
                   finished);
    }
    return finish();
  }

 private:
  static RunName name_of(const RunRecord& record) {
    return {record.sweep->matrix, record.sweep->variant};
  }

  void open_output() {
    const std::string output = output_of_sweep(request_, plan_.config);
    writer_ =
        std::make_unique<ResultWriter>(output, [this](const RunRecord& run) { return judge(run); });
    for (const RunRecord& run : writer_->earlier_runs()) done_.emplace(name_of(run), run);
    if (const auto kept = writer_->kept_journal()) {
      fmt::print(stderr,
                 "lufact: runs of another program, machine or configuration were kept as {}\n",
                 kept->string());
    }
  }

  // Whether an earlier run answers what this sweep asks.
  ResultWriter::Earlier judge(const RunRecord& run) {
    if (!run.sweep) return ResultWriter::Earlier::set_aside;
    if (is_to_be_made_again(run)) return ResultWriter::Earlier::drop;
    const auto wanted = wanted_.find(name_of(run));
    if (wanted == wanted_.end() || !same_question(run, wanted->second)) {
      return ResultWriter::Earlier::set_aside;
    }
    return seen_.insert(name_of(run)).second ? ResultWriter::Earlier::counts
                                             : ResultWriter::Earlier::drop;
  }

  static bool same_question(const RunRecord& run, const RunRecord& wanted) {
    return run.id == wanted.id && run.input.sha256 == wanted.input.sha256 &&
           run.sweep->options == wanted.sweep->options &&
           run.sweep->environment == wanted.sweep->environment;
  }

  std::vector<PendingRun> pending_runs(const HashedInput& input) const {
    std::vector<PendingRun> pending;
    for (const PlannedRun& run : input.planned->runs) {
      const RunName name{input.planned->entry->name, run.variant->name};
      if (!done_.contains(name)) pending.push_back({run.plan.get(), wanted_.at(name)});
    }
    return pending;
  }

  std::size_t inputs_to_run() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        inputs_, [this](const HashedInput& input) { return !pending_runs(input).empty(); }));
  }

  ResultFile result_file() const {
    ResultFile result;
    result.meta = meta_;
    result.config = {{"sweep", plan_.config.text},
                     {"options", plan_.config.options},
                     {"matrix_dirs", request_.matrix_dirs},
                     {"segments", request_.segments},
                     {"segment", request_.segment}};
    for (const RunName& name : order_) {
      const auto run = done_.find(name);
      if (run != done_.end()) result.runs.push_back(run->second);
    }
    plan_.config.workload->complete_records(result.runs);
    result.comparisons = compare_runs(result.runs);
    return result;
  }

  int finish() {
    complete_meta(meta_, request_.device);
    const ResultFile result = result_file();
    writer_->finish(result);
    if (!request_.quiet) {
      print_tables(result.runs);
      print_outcomes(result.runs);
    }
    if (!InterruptGuard::interrupted()) return status_of(result.runs);
    if (!request_.quiet) tell_how_to_go_on(output_of_sweep(request_, plan_.config));
    return exit_status::interrupted;
  }

  // Of many inputs what they came to; `lufact show` has each of them.
  void print_tables(const std::vector<RunRecord>& runs) const {
    const TableContext context{.workloads = {plan_.config.workload->facts()}, .peaks = meta_.peaks};
    std::vector<Section> sections = summary_sections(runs, context);
    if (sections.empty()) sections = sections_by_input(runs, context);
    if (!sections.empty()) fmt::print("{}\n", text_of(sections, text_style(STDOUT_FILENO)));
  }

  void print_outcomes(const std::vector<RunRecord>& runs) const {
    std::map<std::string_view, std::size_t> outcomes;
    for (const RunRecord& run : runs) ++outcomes[to_string(run.outcome)];
    fmt::print("{} of {} runs:", runs.size(), order_.size());
    for (const auto& [outcome, count] : outcomes) fmt::print(" {} {}", count, outcome);
    fmt::print("; {}\n", output_of_sweep(request_, plan_.config));
  }

  const SweepRequest& request_;
  const SweepPlan& plan_;
  Meta meta_;
  std::vector<HashedInput> inputs_;
  std::vector<RunName> order_;
  std::map<RunName, RunRecord> wanted_, done_;
  std::set<RunName> seen_;
  std::unique_ptr<ResultWriter> writer_;
};

}  // namespace

int run_sweep(const SweepRequest& request, const Workloads& workloads,
              const std::vector<std::string>& argv) {
  const InterruptGuard guard;
  const SweepPlan plan = plan_sweep(request, workloads);
  make_output_folder(request.output_dir);
  if (!request.resume) refuse_to_overwrite(output_of_sweep(request, plan.config));
  return Sweep(request, plan, argv).run();
}

}  // namespace lufact
