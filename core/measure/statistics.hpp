// SPDX-License-Identifier: BSD-3-Clause
// Order statistics of samples, and the bootstrap of a ratio of medians, paired or not.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lufact {

struct SampleSummary {
  std::size_t n = 0;
  double median = 0, q1 = 0, q3 = 0, min = 0, max = 0;
};

// Quantile of type 7 (Hyndman and Fan 1996): linear interpolation at 1 + (n - 1) p of the sorted
// samples. `sorted` must be ascending and not empty.
double quantile_type7(std::span<const double> sorted, double p);

// Empty for no samples.
std::optional<SampleSummary> summarize(std::span<const double> samples);

enum class Verdict { faster, slower, same, unclear };
std::string_view to_string(Verdict verdict) noexcept;

struct RatioEstimate {
  double ratio = 0;                       // median(base) / median(other)
  std::optional<double> ci_low, ci_high;  // 95%; empty below min_samples
  Verdict verdict = Verdict::unclear;
};

// The fewest samples of each side, or pairs, that give an interval.
inline constexpr std::size_t min_samples = 5;

// Compares paired repetitions. The interval is the percentile bootstrap over pairs (Efron 1979),
// seeded, so that the same samples give the same interval. `same` = interval inside [0.97, 1.03];
// `unclear` = contains 1 otherwise, or no interval. Both spans have the same, non-zero length.
RatioEstimate compare_paired(std::span<const double> base, std::span<const double> other,
                             std::uint64_t seed);

// Compares samples that have nothing to do with each other, as many on either side as there are.
// The interval is the percentile bootstrap in which each side is resampled on its own (Efron and
// Tibshirani 1993, chapter 8), seeded; verdicts as above. Neither span is empty.
RatioEstimate compare_unpaired(std::span<const double> base, std::span<const double> other,
                               std::uint64_t seed);

// What an estimate says where changes of less than `tolerance` (0.05: 5%) of the quicker side do
// not count: `faster` and `slower` where the interval excludes 1 and the medians are at least so
// far apart, `same` where the interval is within the tolerance, else `unclear`.
Verdict judge_change(const RatioEstimate& estimate, double tolerance);

}  // namespace lufact
