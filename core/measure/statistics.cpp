// SPDX-License-Identifier: BSD-3-Clause
#include "core/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/base/random.hpp"

namespace lufact {
namespace {

constexpr std::size_t min_samples = 5;
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

struct Picks {
  std::size_t base, other;
};

// Ratio and interval from resamples of both sides; `picks` says which samples a place of a resample
// takes.
template <class PicksOf>
RatioEstimate bootstrap(std::span<const double> base, std::span<const double> other,
                        PicksOf picks) {
  std::vector<double> a(base.begin(), base.end()), b(other.begin(), other.end());
  RatioEstimate estimate;
  estimate.ratio = median_of(a) / median_of(b);
  if (std::min(base.size(), other.size()) < min_samples) return estimate;
  std::vector<double> ratios(resamples);
  for (std::size_t r = 0; r < resamples; ++r) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = base[picks(r, k).base];
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = other[picks(r, k).other];
    ratios[r] = median_of(a) / median_of(b);
  }
  std::sort(ratios.begin(), ratios.end());
  estimate.ci_low = quantile_type7(ratios, 0.025);
  estimate.ci_high = quantile_type7(ratios, 0.975);
  estimate.verdict = judge(*estimate.ci_low, *estimate.ci_high);
  return estimate;
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
  return bootstrap(base, other, [seed, n = base.size()](std::size_t resample, std::size_t sample) {
    const std::size_t pick = hash64(seed, resample, sample) % n;
    return Picks{pick, pick};
  });
}

RatioEstimate compare_unpaired(std::span<const double> base, std::span<const double> other,
                               std::uint64_t seed) {
  if (base.empty() || other.empty()) {
    throw std::invalid_argument("compare_unpaired needs a sample on each side");
  }
  const std::uint64_t seed_of_other = hash64(seed, 0, 1);
  return bootstrap(base, other, [&](std::size_t resample, std::size_t sample) {
    return Picks{hash64(seed, resample, sample) % base.size(),
                 hash64(seed_of_other, resample, sample) % other.size()};
  });
}

}  // namespace lufact
