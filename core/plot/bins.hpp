// SPDX-License-Identifier: BSD-3-Clause
// Many numbers as few bars.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/base/types.hpp"

namespace lufact::plot {

// The values first .. last, both included, and how many there are of them.
struct Bin {
  Offset first = 0, last = 0;
  Offset count = 0;
};

inline constexpr std::size_t most_single_bins = 24;

// A bin for each value from the least to the largest where these are at most most_single_bins, else
// bins that double: 0, 1, 2-3, 4-7, ... The counts add up to values.size(). Values are not
// negative.
std::vector<Bin> histogram(std::span<const Offset> values);

// The bin of a list made by histogram() that holds `value`.
std::size_t bin_of(std::span<const Bin> bins, Offset value);

// At most most_bins bins of as many neighbouring positions each, the last one perhaps of fewer;
// counts are the sums of `widths` there.
std::vector<Bin> sums_of_neighbours(std::span<const Offset> widths, std::size_t most_bins);

// "7" or "4-7".
std::string text_of(const Bin& bin);

}  // namespace lufact::plot
