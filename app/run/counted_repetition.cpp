// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/counted_repetition.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/process/child_process.hpp"
#include "app/run/messages.hpp"
#include "app/run/worker_pool.hpp"
#include "core/report/record_json.hpp"

namespace lufact {
namespace {

using nlohmann::json;

// What is counted: the request for it, and its name in messages.
struct Counting {
  const char* command;
  const char* noun;
};
constexpr Counting page_faults{"count_page_faults", "page faults"};
constexpr Counting device_memory{"count_device_memory", "device memory"};
constexpr Counting source_rows{"count_sources", "sources"};

struct Counted {
  json record;         // null: the worker has said that there is none
  std::string reason;  // why there is no record; empty: there is
};

std::string describe_loss(const Counting& counting, ChildProcess::Wait why, ChildProcess& child) {
  switch (why) {
    case ChildProcess::Wait::timed_out:
      return fmt::format("the repetition that counts {} ran out of --timeout", counting.noun);
    case ChildProcess::Wait::stopped:
      return fmt::format("interrupted in the repetition that counts {}", counting.noun);
    case ChildProcess::Wait::out_of_memory:
      return fmt::format("the repetition that counts {} passed --host-memory-limit", counting.noun);
    default:
      return fmt::format("the repetition that counts {} ended with {}", counting.noun,
                         child.ending());
  }
}

// Takes the answers to one request; fills `result` where one says how it went. True to go on.
bool take_answers(const Counting& counting, ChildProcess& child, const ChildProcess::Limits& limits,
                  std::optional<Counted>& result) {
  for (std::string line;;) {
    const ChildProcess::Wait wait = child.next_line(limits, line);
    if (wait != ChildProcess::Wait::line) {
      result = {nullptr, describe_loss(counting, wait, child)};
      return false;
    }
    const json message = json::parse(line);
    const std::string type = message.at("type").get<std::string>();
    if (type == "counted") result = {message.at("record"), {}};
    if (type == "failed") {
      result = {nullptr, message.at("message").get<std::string>()};
      return false;
    }
    if (type == "done") return true;
  }
}

ChildProcess::Limits limits_of(const Measuring& measuring, const volatile int* stop) {
  using Steady = std::chrono::steady_clock;
  ChildProcess::Limits limits{std::nullopt, measuring.host_memory_limit, stop};
  if (measuring.timeout_s) {
    limits.deadline = Steady::now() + std::chrono::duration_cast<Steady::duration>(
                                          std::chrono::duration<double>(*measuring.timeout_s));
  }
  return limits;
}

Counted run_counted(const Counting& counting, const VariantPlan& plan, ChildProcess& child,
                    json open, const volatile int* stop) {
  const ChildProcess::Limits limits = limits_of(plan.measuring, stop);
  std::optional<Counted> result;
  for (const json& request : {std::move(open), json{{"command", counting.command}}}) {
    if (!child.send(request.dump())) {
      return {nullptr, describe_loss(counting, ChildProcess::Wait::ended, child)};
    }
    if (!take_answers(counting, child, limits, result)) break;
  }
  return result.value_or(
      Counted{nullptr, fmt::format("the repetition that counts {} gave no answer", counting.noun)});
}

}  // namespace

UnifiedMemoryRecord run_page_fault_repetition(const VariantPlan& plan, const Input& input,
                                              const volatile int* stop) {
  json open = open_message(plan, input, "");
  open["count_page_faults"] = true;  // counters must be there before the device is
  ChildProcess child({"worker"});
  const Counted counted = run_counted(page_faults, plan, child, std::move(open), stop);
  if (counted.reason.empty()) return unified_memory_from_json(counted.record);
  UnifiedMemoryRecord record;
  record.unavailable_reason = counted.reason;
  return record;
}

std::optional<DriverMemoryRecord> run_device_memory_repetition(const VariantPlan& plan,
                                                               const Input& input,
                                                               const volatile int* stop) {
  ChildProcess child({"worker"});
  const Counted counted =
      run_counted(device_memory, plan, child, open_message(plan, input, ""), stop);
  if (counted.reason.empty()) {
    if (counted.record.is_null()) return std::nullopt;
    return driver_memory_from_json(counted.record);
  }
  DriverMemoryRecord record;
  record.unavailable_reason = counted.reason;
  return record;
}

CountedSources run_source_repetition(const VariantPlan& plan, const Input& input,
                                     const std::string& sha256, const volatile int* stop) {
  json open = open_message(plan, input, "");
  open["count_sources"] = true;
  if (plan.ranks > 0) open["ranks"] = ranks_message(plan, sha256);
  const auto child = WorkerPool::start(plan);
  const Counted counted = run_counted(source_rows, plan, *child, std::move(open), stop);
  if (!counted.reason.empty()) return {{}, counted.reason};
  return {gsofa_sources_from_json(counted.record), {}};
}

}  // namespace lufact
