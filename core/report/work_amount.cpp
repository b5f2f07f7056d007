// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/work_amount.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "core/base/format_count.hpp"
#include "core/report/cells.hpp"

namespace lufact {
namespace {

WorkAmount amount_of(const std::map<std::string, std::string>& options) {
  WorkAmount amount;
  if (const auto given = options.find("systems"); given != options.end()) {
    const std::string& text = given->second;
    std::from_chars(text.data(), text.data() + text.size(), amount.systems);
  }
  if (const auto given = options.find("rhs"); given != options.end()) {
    amount.right_hand_sides = given->second;
  }
  return amount;
}

}  // namespace

WorkAmount work_amount(const RunRecord& run, const WorkAmount& asked) {
  if (run.workload != "sparse") return {};
  WorkAmount amount = run.sweep ? amount_of(run.sweep->options) : asked;
  if (run.systems) amount.systems = run.systems->count;  // a run that failed may not have them
  return amount;
}

std::string to_string(const WorkAmount& amount) {
  std::string text = fmt::format("{} {}", format_count(amount.systems),
                                 amount.systems == 1 ? "system" : "systems");
  if (amount.right_hand_sides != "1") {
    text += fmt::format(", {} right-hand sides", amount.right_hand_sides);
  }
  return text;
}

std::string work_label(const RunRecord& run, const WorkAmount& asked) {
  const WorkAmount amount = work_amount(run, asked);
  if (amount == WorkAmount{}) return run_label(run);
  return fmt::format("{} ({})", run_label(run), to_string(amount));
}

}  // namespace lufact
