// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/variant_process.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "app/config/peer_names.hpp"
#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/pipeline/schedule_safety.hpp"
#include "core/report/record_json.hpp"

namespace lufact {

using nlohmann::json;
using Steady = std::chrono::steady_clock;

VariantProcess::VariantProcess(const RunConfig& config, RunRecord record, const volatile int* stop)
    : config_(config), record_(std::move(record)), stop_(stop) {}

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

void VariantProcess::start_open(const std::string& matrix) {
  const auto& peer = record_.pipeline.peer;
  const bool external = peer && external_command(*peer).has_value();
  if (external && !make_folder()) return;
  child_ = std::make_unique<ChildProcess>(std::vector<std::string>{"worker"});
  json message{{"command", "open"},
               {"config", to_json(config_)},
               {"mode", record_.mode},
               {"matrix", matrix}};
  if (peer) message["peer"] = *peer;
  if (folder_) message["folder"] = folder_->path().string();
  send(message);
}

void VariantProcess::await_open() {
  take_answers();
  if (running()) child_->wait_until_idle();
}

void VariantProcess::sample(int repetition, bool last) {
  warmup_ = repetition < 0;
  if (request({{"command", "sample"}, {"repetition", repetition}, {"last", last}}) && last) {
    child_.reset();
  }
  if (running()) child_->wait_until_idle();
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
  ChildProcess::Limits limits{std::nullopt, config_.host_memory_limit, stop_};
  if (config_.timeout_s) {
    const std::chrono::duration<double> left(*config_.timeout_s - used_.count());
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
    record_.matrix = matrix_from_json(message.at("matrix"));
  } else if (type == "sample") {
    if (!warmup_) record_.samples.push_back(sample_from_json(message.at("sample")));
  } else if (type == "refactor_sample") {
    record_.refactor_samples.push_back(sample_from_json(message.at("sample")));
  } else if (type == "record") {
    finish(message);
  } else if (type == "failed") {
    take_failure(message);
  } else if (type == "done") {
    done_ = true;
  }
}

void VariantProcess::take_failure(const json& message) {
  if (!message.at("record").is_null()) merge_partial(run_from_json(message.at("record")));
  fail(parse_outcome(message.at("outcome").get<std::string>()).value_or(Outcome::error),
       message.at("code").get<std::string>(), message.at("message").get<std::string>(),
       message.at("phase").get<std::string>());
}

// The memory a failed run had used is worth knowing; its matrix facts may be more complete.
void VariantProcess::merge_partial(const RunRecord& partial) {
  record_.memory = partial.memory;
  if (partial.matrix.n > 0) record_.matrix = partial.matrix;
}

void VariantProcess::finish(const json& message) {
  const RunRecord described = run_from_json(message.at("record"));
  record_.missing_diagonals_added = described.missing_diagonals_added;
  record_.factors = described.factors;
  record_.memory = described.memory;
  record_.numeric = described.numeric;
  record_.verification = described.verification;
  record_.profile = described.profile;
  if (described.peer) record_.peer = described.peer;
  // What a peer or a selector did is known only now; how the mode was chosen was known before.
  std::vector<Choice> choices = std::move(record_.pipeline.choices);
  std::ranges::copy(described.pipeline.choices, std::back_inserter(choices));
  record_.pipeline = described.pipeline;
  record_.pipeline.choices = std::move(choices);
  record_.warnings.insert(record_.warnings.end(), described.warnings.begin(),
                          described.warnings.end());
  record_.outcome = Outcome::ok;
  const VerificationRecord& verification = *record_.verification;
  if (verification.x_norm && verification.x_true_norm &&
      *verification.x_norm > 1e6 * *verification.x_true_norm) {
    record_.warnings.push_back({"near_singular",
                                "the solution is over 1e6 times larger than the known one: the "
                                "matrix is nearly singular, and only the backward error means "
                                "anything"});
  }
  judge(verification);
}

// Whether the run that came to its end is also right.
void VariantProcess::judge(const VerificationRecord& verification) {
  if (verification.method == "none" || verification.passed) return judge_schedule();
  if (record_.peer) {
    return fail(Outcome::inaccurate, "verification_failed",
                fmt::format("{}, although the solver reported success; try --zero-diagonals, or "
                            "another variant of it that `lufact list` shows",
                            verification.message),
                "verify");
  }
  const bool no_solution = !verification.x_norm.has_value();
  const bool singular = no_solution && record_.numeric && record_.numeric->perturbed_pivots > 0;
  record_.outcome = singular ? Outcome::singular_numeric : Outcome::inaccurate;
  record_.error = ErrorRecord{
      singular ? "numerically_singular" : "verification_failed",
      fmt::format("{}; {} pivots were perturbed; try --scaling mc64, --precision double or another "
                  "--pivot-threshold",
                  verification.message, record_.numeric ? record_.numeric->perturbed_pivots : 0),
      std::string("verify")};
}

// Factors from an unsafe schedule may pass by luck.
void VariantProcess::judge_schedule() {
  const auto unsafe =
      std::find_if(record_.warnings.begin(), record_.warnings.end(),
                   [](const Warning& warning) { return warning.code == unsafe_schedule_code; });
  if (unsafe == record_.warnings.end()) return;
  record_.outcome = Outcome::inaccurate;
  record_.error = ErrorRecord{unsafe->code, unsafe->message, std::string("numeric")};
}

void VariantProcess::lose_child(ChildProcess::Wait why) {
  record_.memory.host_peak_bytes = child_->peak_resident_seen();
  switch (why) {
    case ChildProcess::Wait::timed_out:
      child_->terminate();
      return fail(Outcome::timeout, "timeout",
                  fmt::format("stopped after {} s; raise --timeout to let it finish",
                              config_.timeout_s.value_or(0)),
                  "");
    case ChildProcess::Wait::stopped:
      child_->terminate();
      return fail(Outcome::error, "interrupted", "interrupted by the user", "");
    case ChildProcess::Wait::out_of_memory:
      child_->terminate();
      return fail(Outcome::oom_host, "host_memory_limit",
                  fmt::format("used {} of host memory, over --host-memory-limit {}",
                              format_byte_size(record_.memory.host_peak_bytes.value_or(0)),
                              format_byte_size(config_.host_memory_limit.value_or(0))),
                  "");
    default:
      break;
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
