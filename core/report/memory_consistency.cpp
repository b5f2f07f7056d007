// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/memory_consistency.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace lufact {
namespace {

using nlohmann::json;

bool all_known(std::initializer_list<const json*> values) {
  for (const json* value : values) {
    if (value->is_null()) return false;
  }
  return true;
}

void check_driver(const json& driver, std::vector<std::string>& violations) {
  const auto say = [&](const std::string& text) {
    violations.push_back(".memory.driver: " + text);
  };
  const json &peak = driver.at("peak_bytes"), &baseline = driver.at("baseline_bytes");
  const json& over = driver.at("peak_over_baseline_bytes");
  if (driver.at("method").is_null() == driver.at("unavailable_reason").is_null()) {
    say("either a method or a reason for none");
  }
  if (!all_known({&peak, &baseline, &over})) return;
  const auto most = over.get<std::uint64_t>();
  if (peak.get<std::uint64_t>() != baseline.get<std::uint64_t>() + most) {
    say("peak_over_baseline_bytes is not the peak less the baseline");
  }
  for (const auto& [phase, bytes] : driver.at("over_baseline_by_phase").items()) {
    if (bytes.get<std::uint64_t>() > most) say(fmt::format("phase {} passes the peak", phase));
  }
}

}  // namespace

std::vector<std::string> memory_violations(const json& memory) {
  std::vector<std::string> violations;
  const json &budget = memory.at("budget_bytes"), &peak = memory.at("device_peak_bytes");
  if (all_known({&budget, &peak}) && peak.get<std::uint64_t>() > budget.get<std::uint64_t>()) {
    violations.push_back(fmt::format(".memory: device_peak_bytes {} passes the budget of {}",
                                     peak.get<std::uint64_t>(), budget.get<std::uint64_t>()));
  }
  if (memory.contains("driver") && !memory.at("driver").is_null()) {
    check_driver(memory.at("driver"), violations);
  }
  return violations;
}

}  // namespace lufact
