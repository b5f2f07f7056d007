// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/variant_process.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "app/run/launch.hpp"
#include "app/run/messages.hpp"
#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/report/cells.hpp"
#include "core/report/measurement_quality.hpp"
#include "core/report/record_json.hpp"

namespace lufact {

using nlohmann::json;
using Steady = std::chrono::steady_clock;

namespace {

// Repetitions from here on are so long that what others left behind hardly shows in them.
constexpr double warmed_up_below_s = 0.1;
constexpr int warmup_repetition = -1;

}  // namespace

VariantProcess::VariantProcess(const VariantPlan& plan, RunRecord record, const volatile int* stop,
                               WorkerPool& pool, RunProgress& progress)
    : plan_(plan),
      record_(std::move(record)),
      stop_(stop),
      pool_(pool),
      progress_(progress),
      repetition_(-plan.measuring.warmup) {
  record_.sampling = begin_sampling(plan.measuring);
}

// False where there is no place for it, which ends the record.
bool VariantProcess::make_folder() {
  try {
    folder_.emplace();
    return true;
  } catch (const Error& error) {
    fail(error.outcome(), error.code(), error.what(), "");
    return false;
  }
}

void VariantProcess::start_open(const Input& input) {
  if (plan_.needs_folder && !make_folder()) return;
  child_ = pool_.take(plan_);
  json message = open_message(plan_, input, folder_ ? folder_->path().string() : "");
  if (plan_.ranks > 0) message["ranks"] = ranks_message(plan_, record_.input.sha256.value_or(""));
  send(message);
}

void VariantProcess::await_open() {
  progress_.begin_opening(run_label(record_));
  take_answers();
  if (running()) child_->wait_until_idle();
}

bool VariantProcess::sample(int repetition, bool last) {
  progress_.begin_turn(run_label(record_), repetition, last);
  asked_ = repetition;
  if (!request({{"command", "sample"}, {"repetition", repetition}, {"last", last}})) return false;
  if (last) {
    pool_.give_back(plan_, std::move(child_));
  } else {
    child_->wait_until_idle();
  }
  return true;
}

bool VariantProcess::settled() const {
  return is_settled(plan_.measuring, taken());
}

// Where the last one was so short that what others left behind would show.
bool VariantProcess::warms_up_for_turn() const {
  return repetition_ >= 0 && plan_.measuring.warmup > 0 && last_total_s_ &&
         *last_total_s_ < warmed_up_below_s;
}

void VariantProcess::take_turn(bool all_settled, bool after_others) {
  if (after_others && warms_up_for_turn()) {
    if (!sample(warmup_repetition, false)) return;
    ++record_.sampling->turn_warmups;
  }
  const bool warms_up = repetition_ < 0;
  const auto ending = warms_up ? std::nullopt : last_because(plan_.measuring, taken(), all_settled);
  sample(repetition_, ending.has_value());
  if (!record_.error || record_.outcome == Outcome::inaccurate) record_.sampling->ended_by = ending;
  ++repetition_;
}

Taken VariantProcess::taken() const {
  return {std::max(0, repetition_), record_.samples, used_.count()};
}

void VariantProcess::add_others_use(const OthersUse& use) {
  if (!record_.host_state) return;  // it never opened its input
  record_.host_state->watched_s = use.elapsed_s;
  record_.host_state->other_processors = use.processors;
  record_.host_state->other_processors_elsewhere = use.elsewhere;
}

void VariantProcess::add_sources(CountedSources counted) {
  record_.profile.value().sources = std::move(counted.sources);
  if (counted.unavailable_reason.empty()) return;
  record_.warnings.push_back(
      {"no_sources", fmt::format("profile.sources is empty: {}", counted.unavailable_reason)});
}

void VariantProcess::judge_measurement() {
  set_quality_figures(record_);
  add_quality_warnings(record_);
}

void VariantProcess::fail(Outcome outcome, const std::string& code, const std::string& message,
                          const std::string& phase) {
  record_.outcome = outcome;
  record_.error = ErrorRecord{code, message, std::nullopt};
  if (!phase.empty()) record_.error->phase = phase;
  child_.reset();
  folder_.reset();
}

// One request and all its answers, within what is left of the variant's time. False where the
// variant has ended by it.
bool VariantProcess::request(const json& message) {
  send(message);
  return take_answers();
}

void VariantProcess::send(const json& message) {
  done_ = false;
  if (!child_->send(message.dump())) lose_child(ChildProcess::Wait::ended);
}

bool VariantProcess::take_answers() {
  const auto begin = Steady::now();
  const bool alive = running() && read_answers();
  used_ += Steady::now() - begin;
  return alive;
}

bool VariantProcess::read_answers() {
  ChildProcess::Limits limits{std::nullopt, plan_.measuring.host_memory_limit, stop_,
                              [this] { progress_.look(child_->board()); }};
  if (plan_.measuring.timeout_s) {
    const std::chrono::duration<double> left(*plan_.measuring.timeout_s - used_.count());
    limits.deadline = Steady::now() + std::chrono::duration_cast<Steady::duration>(left);
  }
  std::string line;
  while (running() && !done_) {
    const ChildProcess::Wait wait = child_->next_line(limits, line);
    if (wait != ChildProcess::Wait::line) {
      lose_child(wait);
      return false;
    }
    take_answer(json::parse(line));
  }
  return running();
}

void VariantProcess::take_answer(const json& message) {
  const std::string type = message.at("type").get<std::string>();
  if (type == "opened") {
    for (const json& phase : message.at("setup")) record_.setup.push_back(phase_from_json(phase));
    take_input(run_from_json(message.at("record")));
  } else if (type == "sample") {
    const Sample sample = sample_from_json(message.at("sample"));
    last_total_s_ = sample.total_s;
    if (asked_ >= 0) record_.samples.push_back(sample);
    progress_.sampled();
  } else if (type == "refactor_sample") {
    record_.refactor_samples.push_back(sample_from_json(message.at("sample")));
    progress_.refactored();
  } else if (type == "record") {
    take_record(run_from_json(message.at("record")));
  } else if (type == "failed") {
    take_failure(message);
  } else if (type == "ranks") {
    ranks_run_ = true;
  } else if (type == "done") {
    done_ = true;
  }
}

void VariantProcess::take_failure(const json& message) {
  if (!message.at("record").is_null()) {
    const RunRecord partial = run_from_json(message.at("record"));
    record_.memory = partial.memory;  // what a failed run had used is worth knowing
    take_input(partial);
  }
  fail(parse_outcome(message.at("outcome").get<std::string>()).value_or(Outcome::error),
       message.at("code").get<std::string>(), message.at("message").get<std::string>(),
       message.at("phase").get<std::string>());
}

// What a worker knows of its input once it has opened it.
void VariantProcess::take_input(const RunRecord& told) {
  if (!told.input.entries) return;
  record_.input = told.input;
  if (told.host_state) record_.host_state = told.host_state;
  if (told.matrix) record_.matrix = told.matrix;
  if (told.batch) record_.batch = told.batch;
  if (told.dense) record_.dense = told.dense;
}

// What the run came to.
void VariantProcess::take_record(RunRecord told) {
  record_.outcome = told.outcome;
  record_.error = std::move(told.error);
  record_.missing_diagonals_added = told.missing_diagonals_added;
  record_.factors = std::move(told.factors);
  record_.memory = std::move(told.memory);
  record_.refactoring = std::move(told.refactoring);
  record_.host_state = std::move(told.host_state);
  record_.numeric = told.numeric;
  record_.gsofa = std::move(told.gsofa);
  record_.supernodes = std::move(told.supernodes);
  record_.distribution = std::move(told.distribution);
  record_.systems = std::move(told.systems);
  record_.verification = std::move(told.verification);
  record_.profile = std::move(told.profile);
  if (told.batch) record_.batch = std::move(told.batch);
  if (told.dense) record_.dense = std::move(told.dense);
  if (told.peer) record_.peer = std::move(told.peer);
  take_pipeline(std::move(told.pipeline));
  std::ranges::move(told.warnings, std::back_inserter(record_.warnings));
}

// What a peer or a selector did is known only now; how the mode was chosen was known before.
void VariantProcess::take_pipeline(std::optional<PipelineRecord> told) {
  if (told && record_.pipeline) {
    told->choices.insert(told->choices.begin(), record_.pipeline->choices.begin(),
                         record_.pipeline->choices.end());
  }
  record_.pipeline = std::move(told);
}

void VariantProcess::lose_child(ChildProcess::Wait why) {
  // Ranks watch their own.
  if (plan_.ranks == 0) record_.memory.host_peak_bytes = child_->peak_resident_seen();
  switch (why) {
    case ChildProcess::Wait::timed_out:
      child_->terminate();
      return fail(Outcome::timeout, "timeout",
                  fmt::format("stopped after {} s; raise --timeout to let it finish",
                              plan_.measuring.timeout_s.value_or(0)),
                  "");
    case ChildProcess::Wait::stopped:
      child_->terminate();
      return fail(Outcome::error, "interrupted", "interrupted by the user", "");
    case ChildProcess::Wait::out_of_memory:
      child_->terminate();
      return fail(Outcome::oom_host, "host_memory_limit",
                  fmt::format("used {} of host memory, over --host-memory-limit {}",
                              format_byte_size(record_.memory.host_peak_bytes.value_or(0)),
                              format_byte_size(plan_.measuring.host_memory_limit.value_or(0))),
                  "");
    default:
      break;
  }
  if (plan_.ranks > 0) {
    const LaunchFailure failure = launch_failure(*child_, plan_.launcher.front(), ranks_run_);
    return fail(failure.outcome, failure.code, failure.message, "");
  }
  const std::string ending = child_->ending();
  if (child_->ending_signal() == SIGKILL) {
    return fail(Outcome::oom_host, "killed",
                fmt::format("the worker was killed ({}), most likely by the kernel for want of "
                            "memory; it had used {}",
                            ending, format_byte_size(record_.memory.host_peak_bytes.value_or(0))),
                "");
  }
  fail(Outcome::error, "worker_died",
       fmt::format("the worker process ended with {}; please report it", ending), "");
}

}  // namespace lufact
