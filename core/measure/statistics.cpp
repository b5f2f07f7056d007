// SPDX-License-Identifier: BSD-3-Clause
#include "core/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/base/random.hpp"

namespace lufact {
namespace {

constexpr std::size_t resamples = 2000;

// The quantile of type 7 at one half, without sorting it all.
double median_of(std::vector<double>& values) {
  const auto below = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), below, values.end());
  if (values.size() % 2 == 1) return *below;
  return *below + 0.5 * (*std::min_element(below + 1, values.end()) - *below);
}

Verdict judge(double low, double high) {
  if (low >= 0.97 && high <= 1.03) return Verdict::same;
  if (low <= 1 && high >= 1) return Verdict::unclear;
  return low > 1 ? Verdict::faster : Verdict::slower;
}

// Sorts the ratios of the resamples.
void set_interval(std::vector<double>& ratios, RatioEstimate& estimate) {
  std::sort(ratios.begin(), ratios.end());
  estimate.ci_low = quantile_type7(ratios, 0.025);
  estimate.ci_high = quantile_type7(ratios, 0.975);
  estimate.verdict = judge(*estimate.ci_low, *estimate.ci_high);
}

// As many as there are, drawn with replacement.
void resample(std::span<const double> from, std::uint64_t seed, std::uint64_t draw,
              std::vector<double>& to) {
  for (std::size_t k = 0; k < from.size(); ++k) {
    to[k] = from[static_cast<std::size_t>(hash64(seed, draw, k) % from.size())];
  }
}

}  // namespace

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::same:
      return "same";
    case Verdict::unclear:
      break;
  }
  return "unclear";
}

double quantile_type7(std::span<const double> sorted, double p) {
  const double position = static_cast<double>(sorted.size() - 1) * p;
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::optional<SampleSummary> summarize(std::span<const double> samples) {
  if (samples.empty()) return std::nullopt;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return SampleSummary{sorted.size(),
                       quantile_type7(sorted, 0.5),
                       quantile_type7(sorted, 0.25),
                       quantile_type7(sorted, 0.75),
                       sorted.front(),
                       sorted.back()};
}

RatioEstimate compare_paired(std::span<const double> base, std::span<const double> other,
                             std::uint64_t seed) {
  if (base.empty() || base.size() != other.size()) {
    throw std::invalid_argument("compare_paired needs equally many samples, at least one");
  }
  std::vector<double> a(base.begin(), base.end()), b(other.begin(), other.end());
  RatioEstimate estimate;
  estimate.ratio = median_of(a) / median_of(b);
  if (base.size() < min_samples) return estimate;
  std::vector<double> ratios(resamples);
  for (std::size_t r = 0; r < resamples; ++r) {
    for (std::size_t k = 0; k < base.size(); ++k) {
      const auto pick = static_cast<std::size_t>(hash64(seed, r, k) % base.size());
      a[k] = base[pick];
      b[k] = other[pick];
    }
    ratios[r] = median_of(a) / median_of(b);
  }
  set_interval(ratios, estimate);
  return estimate;
}

RatioEstimate compare_unpaired(std::span<const double> base, std::span<const double> other,
                               std::uint64_t seed) {
  if (base.empty() || other.empty()) {
    throw std::invalid_argument("compare_unpaired needs a sample of each side");
  }
  std::vector<double> a(base.begin(), base.end()), b(other.begin(), other.end());
  RatioEstimate estimate;
  estimate.ratio = median_of(a) / median_of(b);
  if (std::min(a.size(), b.size()) < min_samples) return estimate;
  std::vector<double> ratios(resamples);
  for (std::size_t r = 0; r < resamples; ++r) {
    resample(base, seed, 2 * r, a);
    resample(other, seed, 2 * r + 1, b);
    ratios[r] = median_of(a) / median_of(b);
  }
  set_interval(ratios, estimate);
  return estimate;
}

Verdict judge_change(const RatioEstimate& estimate, double tolerance) {
  if (!estimate.ci_low || !estimate.ci_high) return Verdict::unclear;
  const double most = 1 + tolerance;
  if (*estimate.ci_low > 1 && estimate.ratio >= most) return Verdict::faster;
  if (*estimate.ci_high < 1 && estimate.ratio * most <= 1) return Verdict::slower;
  const bool within = *estimate.ci_low * most >= 1 && *estimate.ci_high <= most;
  return within ? Verdict::same : Verdict::unclear;
}

}  // namespace lufact
