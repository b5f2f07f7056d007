// SPDX-License-Identifier: BSD-3-Clause
#include "core/plot/bins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace lufact::plot {
namespace {

// Bins 0, 1, 2-3, 4-7, ... are numbered from 0.
std::size_t doubling_bin(Offset value) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(value)));
}

Bin doubling_bin_at(std::size_t number) {
  if (number == 0) return {0, 0, 0};
  const Offset first = Offset{1} << (number - 1);
  return {first, 2 * first - 1, 0};
}

std::vector<Bin> empty_bins(Offset least, Offset most) {
  std::vector<Bin> bins;
  if (static_cast<std::size_t>(most - least) < most_single_bins) {
    for (Offset value = least; value <= most; ++value) bins.push_back({value, value, 0});
  } else {
    for (std::size_t k = doubling_bin(least); k <= doubling_bin(most); ++k) {
      bins.push_back(doubling_bin_at(k));
    }
  }
  return bins;
}

}  // namespace

std::vector<Bin> histogram(std::span<const Offset> values) {
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax(values);
  std::vector<Bin> bins = empty_bins(least, most);
  for (const Offset value : values) ++bins[bin_of(bins, value)].count;
  return bins;
}

std::size_t bin_of(std::span<const Bin> bins, Offset value) {
  const auto above = std::ranges::upper_bound(bins, value, {}, &Bin::first);
  return static_cast<std::size_t>(above - bins.begin()) - 1;
}

std::vector<Bin> sums_of_neighbours(std::span<const Offset> widths, std::size_t most_bins) {
  std::vector<Bin> bins;
  const std::size_t each = std::max<std::size_t>(1, (widths.size() + most_bins - 1) / most_bins);
  for (std::size_t first = 0; first < widths.size(); first += each) {
    const std::size_t end = std::min(first + each, widths.size());
    Bin bin{static_cast<Offset>(first), static_cast<Offset>(end) - 1, 0};
    for (std::size_t k = first; k < end; ++k) bin.count += widths[k];
    bins.push_back(bin);
  }
  return bins;
}

std::string text_of(const Bin& bin) {
  return bin.first == bin.last ? fmt::format("{}", bin.first)
                               : fmt::format("{}-{}", bin.first, bin.last);
}

}  // namespace lufact::plot
