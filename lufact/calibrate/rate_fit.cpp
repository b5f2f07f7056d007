// SPDX-License-Identifier: BSD-3-Clause
#include "lufact/calibrate/rate_fit.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "core/measure/statistics.hpp"

namespace lufact {
namespace {

// Rates of a group by the beginning of their names; several where a step has rates in two groups.
struct ScaledRates {
  std::string_view step, group;
  std::vector<std::string_view> names;  // or beginnings of names; empty: all
  RateOrigin origin = RateOrigin::scaled;
};

const std::vector<ScaledRates>& scaled_rates() {
  static const std::vector<std::string_view> planning{"plan_", "touch_"};
  static const std::vector<ScaledRates> list{
      {"amd", "ordering", {"amd_entry_s"}, RateOrigin::measured},
      {"metis", "ordering", {"metis_entry_s"}, RateOrigin::measured},
      {"nd-parallel", "ordering", {"dissection_"}},
      {"cpu-fronts", "host_symbolic", {}},
      {"cpu-multifrontal once", "host_fronts", planning},
      {"cpu-multifrontal",
       "host_fronts",
       {"threads_start_s", "shared_tile_s", "flops_per_s", "entry_s", "row_s"}},
      {"cpu-multifrontal by order", "host_order", {}},
      {"columns", "few_entries", {"column_"}},
      {"small fronts", "few_entries", {"fronts_"}},
      {"gpu-fronts", "device_symbolic", {}},
      {"gpu-multifrontal once", "device_fronts", planning},
      {"gpu-multifrontal",
       "device_fronts",
       {"launches_s", "flops_per_s", "task_s", "entry_s", "row_s"}},
      {"gpu-multifrontal", "front_path", {}},
      {"gpu-multifrontal by order", "device_order", {}},
      {"gpu-multifrontal by order", "column_path", {}}};
  return list;
}

bool takes(const ScaledRates& scaled, const RateEntry& entry) {
  if (entry.group != scaled.group) return false;
  return scaled.names.empty() || std::ranges::any_of(scaled.names, [&](std::string_view name) {
           return entry.name.starts_with(name);
         });
}

void scale(const ScaledRates& scaled, double ratio, RateSet& set) {
  for (const RateEntry& entry : rate_list()) {
    const bool time = entry.unit == "s", speed = entry.unit == "flops/s";
    if (!takes(scaled, entry) || !(time || speed)) continue;
    double& value = entry.of(set.rates);
    value = time ? value * ratio : value / ratio;
    set.origin[entry.key()] = scaled.origin;
  }
}

}  // namespace

std::vector<std::string> calibrated_steps() {
  std::vector<std::string> steps;
  for (const ScaledRates& scaled : scaled_rates()) {
    if (steps.empty() || steps.back() != scaled.step) steps.emplace_back(scaled.step);
  }
  return steps;
}

RateSet fit_rates(const RateSet& base, std::span<const RateMeasurement> measurements) {
  RateSet set = base;
  for (const ScaledRates& scaled : scaled_rates()) {
    std::vector<double> ratios;
    for (const RateMeasurement& one : measurements) {
      if (one.step == scaled.step) ratios.push_back(one.measured_s / one.forecast_s);
    }
    if (const auto summary = summarize(ratios)) scale(scaled, summary->median, set);
  }
  return set;
}

}  // namespace lufact
