// SPDX-License-Identifier: BSD-3-Clause
// How much samples scatter, by their quartiles, which a few wild ones do not move.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/measure/statistics.hpp"

namespace lufact {

// Interquartile range over the median: how far repetitions are apart. It does not shrink with their
// number. Empty where the median is 0.
std::optional<double> relative_spread(const SampleSummary& summary);

// 1.57 interquartile ranges / sqrt(n), over the median: half the width of the notch of a box plot,
// about 95% of where the median of more samples would be (McGill, Tukey and Larsen 1978,
// "Variations of box plots"). Empty where the median is 0.
std::optional<double> relative_noise(const SampleSummary& summary);

// Positions of samples that are above the third quartile by more than 3 interquartile ranges (far
// out as Tukey has it) and above 1.25 medians. None below 5 samples.
std::vector<std::size_t> outliers_above(std::span<const double> samples);

}  // namespace lufact
