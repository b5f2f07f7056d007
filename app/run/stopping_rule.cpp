// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/stopping_rule.hpp"

#include <vector>

#include "core/measure/noise.hpp"

namespace lufact {
namespace {

constexpr double percent = 100;
// What must be left of --timeout for another repetition and the last one, with room to spare.
constexpr double repetitions_left = 3;

double sum_of(std::span<const Sample> samples) {
  double sum = 0;
  for (const Sample& sample : samples) sum += sample.total_s;
  return sum;
}

double noise_percent(std::span<const Sample> samples) {
  std::vector<double> totals;
  for (const Sample& sample : samples) totals.push_back(sample.total_s);
  const auto summary = summarize(totals);
  return percent * (summary ? relative_noise(*summary).value_or(0) : 0);
}

bool runs_out_of_time(const Measuring& measuring, const Taken& taken) {
  if (!measuring.timeout_s || taken.count == 0) return false;
  const double each_s = taken.used_s / taken.count;
  return taken.used_s + repetitions_left * each_s > *measuring.timeout_s;
}

}  // namespace

SamplingRecord begin_sampling(const Measuring& measuring) {
  SamplingRecord sampling;
  sampling.repetitions = measuring.repetitions;
  if (!measuring.adapts()) return sampling;
  sampling.max_repetitions = measuring.max_repetitions;
  sampling.min_time_s = measuring.min_time_s;
  sampling.max_noise_percent = measuring.max_noise_percent;
  return sampling;
}

bool is_settled(const Measuring& measuring, const Taken& taken) {
  if (!measuring.adapts()) return true;
  if (taken.count + 1 < measuring.repetitions) return false;
  if (measuring.min_time_s && sum_of(taken.samples) < *measuring.min_time_s) return false;
  return !measuring.max_noise_percent ||
         noise_percent(taken.samples) <= *measuring.max_noise_percent;
}

std::optional<std::string> last_because(const Measuring& measuring, const Taken& taken,
                                        bool all_settled) {
  const int next = taken.count + 1;
  if (next < measuring.repetitions) return std::nullopt;
  if (!measuring.adapts()) return "count";
  if (all_settled && is_settled(measuring, taken)) return "goal";
  if (next >= measuring.max_repetitions) return "max_repetitions";
  if (runs_out_of_time(measuring, taken)) return "timeout";
  return std::nullopt;
}

}  // namespace lufact
