// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/ratio_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/table.hpp"

namespace lufact {
namespace {

const RunRecord* find_run(std::span<const RunRecord> runs, const std::string& id) {
  const auto found =
      std::find_if(runs.begin(), runs.end(), [&](const RunRecord& run) { return run.id == id; });
  return found == runs.end() ? nullptr : &*found;
}

std::string interval(const RatioEstimate& estimate) {
  if (!estimate.ci_low || !estimate.ci_high) return "";
  return fmt::format(" [{:.2f}, {:.2f}]", *estimate.ci_low, *estimate.ci_high);
}

}  // namespace

std::string ratio_table(std::span<const RunRecord> runs, std::span<const Comparison> comparisons) {
  std::string text;
  for (const Comparison& comparison : comparisons) {
    if (comparison.phase != "total_s") continue;
    const RunRecord* base = find_run(runs, comparison.base_id);
    const RunRecord* other = find_run(runs, comparison.id);
    if (base == nullptr || other == nullptr) continue;
    if (text.empty()) text = "\nspeed in total, this / base [95% interval]\n";
    text += fmt::format("  {}  {} / {}  {:.2f}{} {}\n", base->input.name, run_label(*other),
                        run_label(*base), comparison.estimate.ratio, interval(comparison.estimate),
                        to_string(comparison.estimate.verdict));
  }
  return text;
}

}  // namespace lufact
