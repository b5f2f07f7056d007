// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/messages.hpp"

#include "app/config/json_optional.hpp"
#include "core/report/build_info.hpp"
#include "core/report/record_json.hpp"

namespace lufact {

using nlohmann::json;
using nlohmann::ordered_json;

json open_message(const VariantPlan& plan, const Input& input, const std::string& folder) {
  return {{"command", "open"},          {"workload", plan.record.workload},
          {"variant", plan.request},    {"refactor", plan.measuring.refactor},
          {"input", to_json(input)},    {"folder", folder},
          {"count_page_faults", false}, {"count_sources", false}};
}

json ranks_message(const VariantPlan& plan, const std::string& sha256) {
  return {{"count", plan.ranks},
          {"build", build_name()},
          {"sha256", sha256},
          {"host_memory_limit", or_null(plan.measuring.host_memory_limit)}};
}

std::string build_name() {
  return build_info().version + " " + build_info().git_sha;
}

OpenRequest open_request(const json& message, RankGroup* ranks) {
  return {.variant = message.at("variant"),
          .input = input_from_json(message.at("input")),
          .folder = message.at("folder").get<std::string>(),
          .count_page_faults = message.at("count_page_faults").get<bool>(),
          .count_sources = message.at("count_sources").get<bool>(),
          .ranks = ranks};
}

ordered_json failed_message(Outcome outcome, const std::string& code, const std::string& text,
                            const std::string& phase) {
  return {{"type", "failed"}, {"outcome", to_string(outcome)},
          {"code", code},     {"message", text},
          {"phase", phase},   {"record", nullptr}};
}

ordered_json sample_message(const char* type, const Sample& sample) {
  return {{"type", type}, {"sample", to_json(sample)}};
}

ordered_json opened_message(const std::vector<PhaseTime>& setup, const RunRecord& record) {
  ordered_json message{{"type", "opened"}, {"setup", json::array()}, {"record", to_json(record)}};
  for (const PhaseTime& phase : setup) message["setup"].push_back(to_json(phase));
  return message;
}

}  // namespace lufact
