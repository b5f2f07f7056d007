// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/page_fault_repetition.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "app/process/child_process.hpp"
#include "app/run/messages.hpp"
#include "core/report/record_json.hpp"

namespace lufact {
namespace {

using nlohmann::json;

UnifiedMemoryRecord unavailable(const std::string& reason) {
  UnifiedMemoryRecord record;
  record.unavailable_reason = reason;
  return record;
}

std::string describe_loss(ChildProcess::Wait why, ChildProcess& child) {
  switch (why) {
    case ChildProcess::Wait::timed_out:
      return "the repetition that counts page faults ran out of --timeout";
    case ChildProcess::Wait::stopped:
      return "interrupted before page faults were counted";
    case ChildProcess::Wait::out_of_memory:
      return "the repetition that counts page faults passed --host-memory-limit";
    default:
      return fmt::format("the repetition that counts page faults ended with {}", child.ending());
  }
}

// Takes the answers to one request; fills `result` where one says how it went. True to go on.
bool take_answers(ChildProcess& child, const ChildProcess::Limits& limits,
                  std::optional<UnifiedMemoryRecord>& result) {
  for (std::string line;;) {
    const ChildProcess::Wait wait = child.next_line(limits, line);
    if (wait != ChildProcess::Wait::line) {
      result = unavailable(describe_loss(wait, child));
      return false;
    }
    const json message = json::parse(line);
    const std::string type = message.at("type").get<std::string>();
    if (type == "unified_memory") result = unified_memory_from_json(message.at("record"));
    if (type == "failed") {
      result = unavailable(message.at("message").get<std::string>());
      return false;
    }
    if (type == "done") return true;
  }
}

}  // namespace

UnifiedMemoryRecord run_page_fault_repetition(const VariantPlan& plan, const Input& input,
                                              const volatile int* stop) {
  using Steady = std::chrono::steady_clock;
  ChildProcess child({"worker"});
  const Measuring& measuring = plan.measuring;
  ChildProcess::Limits limits{std::nullopt, measuring.host_memory_limit, stop};
  if (measuring.timeout_s) {
    limits.deadline = Steady::now() + std::chrono::duration_cast<Steady::duration>(
                                          std::chrono::duration<double>(*measuring.timeout_s));
  }
  json open = open_message(plan, input, "");
  open["count_page_faults"] = true;
  const std::vector<json> requests{std::move(open), {{"command", "count_page_faults"}}};
  std::optional<UnifiedMemoryRecord> result;
  for (const json& request : requests) {
    if (!child.send(request.dump())) {
      return unavailable(describe_loss(ChildProcess::Wait::ended, child));
    }
    if (!take_answers(child, limits, result)) break;
  }
  return result.value_or(unavailable("the repetition that counts page faults gave no answer"));
}

}  // namespace lufact
