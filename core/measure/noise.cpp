// SPDX-License-Identifier: BSD-3-Clause
#include "core/measure/noise.hpp"

#include <algorithm>
#include <cmath>

namespace lufact {
namespace {

constexpr std::size_t fewest_for_outliers = 5;
constexpr double far_out = 3;       // interquartile ranges above the third quartile
constexpr double far_above = 1.25;  // medians
constexpr double notch_width = 1.57;

}  // namespace

std::optional<double> relative_spread(const SampleSummary& summary) {
  if (!(summary.median > 0)) return std::nullopt;
  return (summary.q3 - summary.q1) / summary.median;
}

std::optional<double> relative_noise(const SampleSummary& summary) {
  const auto spread = relative_spread(summary);
  if (!spread) return std::nullopt;
  return notch_width * *spread / std::sqrt(static_cast<double>(summary.n));
}

std::vector<std::size_t> outliers_above(std::span<const double> samples) {
  std::vector<std::size_t> found;
  if (samples.size() < fewest_for_outliers) return found;
  const SampleSummary summary = summarize(samples).value();
  const double bound =
      std::max(summary.q3 + far_out * (summary.q3 - summary.q1), far_above * summary.median);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (samples[k] > bound) found.push_back(k);
  }
  return found;
}

}  // namespace lufact
