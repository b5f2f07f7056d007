// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/cells.hpp"

#include <fmt/format.h>

#include <string_view>

#include "core/measure/statistics.hpp"

namespace lufact {
namespace {

struct Unit {
  double seconds;
  std::string_view name;
};

// The largest in which three digits of the time, rounded, are at least 1: 999.6 us are 1.00 ms.
Unit unit_for(double seconds) {
  constexpr double rounds_up = 0.9995;
  if (seconds >= rounds_up) return {1, "s"};
  if (seconds >= rounds_up * 1e-3) return {1e-3, "ms"};
  if (seconds >= rounds_up * 1e-6) return {1e-6, "us"};
  return {1e-9, "ns"};
}

// Three significant digits without an exponent, as rounded: 99.96 is "100".
std::string digits(double value) {
  const int before = value >= 99.95 ? 3 : value >= 9.995 ? 2 : 1;
  return fmt::format("{:.{}f}", value, 3 - before);
}

}  // namespace

std::string format_seconds(double seconds) {
  const Unit unit = unit_for(seconds);
  return fmt::format("{} {}", digits(seconds / unit.seconds), unit.name);
}

std::string format_spread(std::span<const double> seconds) {
  const SampleSummary summary = summarize(seconds).value();
  if (summary.n == 1) return format_seconds(summary.median);
  const Unit unit = unit_for(summary.median);
  return fmt::format("{} [{}..{}]", format_seconds(summary.median),
                     digits(summary.q1 / unit.seconds), digits(summary.q3 / unit.seconds));
}

std::string format_duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string format_times(double ratio) {
  if (ratio < 0.1) return fmt::format("{:.2g}", ratio);
  if (ratio < 1.095) return fmt::format("{:.2f}", ratio);
  return fmt::format("{:.{}f}", ratio, ratio < 9.95 ? 1 : 0);
}

std::string format_percent(double share) {
  return fmt::format("{:.0f}%", 100 * share);
}

std::string run_label(const RunRecord& run) {
  return run.sweep ? run.sweep->variant : run.variant;
}

std::string joined_names(std::span<const std::string> names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k > 0) text += k + 1 == names.size() ? " and " : ", ";
    text += names[k];
  }
  return text;
}

}  // namespace lufact
