// SPDX-License-Identifier: BSD-3-Clause
// Rates of a machine from what a few steps took on it. Nothing is fitted term by term: all times of
// a group of rates are scaled by one ratio, the median of measured by forecast time.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/rates/rate_set.hpp"

namespace lufact {

// One step on one matrix: the time that the shipped rates forecast, and the one that it took.
struct RateMeasurement {
  std::string step;  // one of calibrated_steps()
  std::string matrix;
  double forecast_s = 0, measured_s = 0;
};

// What can be measured, in the order in which it is.
std::vector<std::string> calibrated_steps();

// `base` with the groups of the measured steps scaled: seconds times the ratio, rates of arithmetic
// divided by it. Counts and shares stay. Where one rate is all that a step has, it counts as
// measured.
RateSet fit_rates(const RateSet& base, std::span<const RateMeasurement> measurements);

}  // namespace lufact
