// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_reach.hpp"

#include <algorithm>

namespace lufact::gpu {

std::vector<Index> lowest_reached(std::span<const Index> first_columns) {
  const auto n = static_cast<Index>(first_columns.size());
  std::vector<Index> lowest(first_columns.size());
  std::vector<Index> ends;  // the last row of each interval that no entry leaves to the left
  for (Index row = 0; row < n; ++row) {
    Index begin = std::min(first_columns[at(row)], row);
    while (!ends.empty() && ends.back() >= begin) {
      begin = std::min(begin, lowest[at(ends.back())]);
      ends.pop_back();
    }
    ends.push_back(row);
    lowest[at(row)] = begin;
  }
  return lowest;
}

GsofaReach::GsofaReach(const GsofaShare& share, std::span<const Index> first_columns) {
  const std::vector<Index> lowest = lowest_reached(first_columns);
  const Offset places = share.count();
  begins_.resize(at(places + 1));
  for (Offset place = 0; place < places; ++place) {
    const Index row = share.row(place);
    begins_[at(place + 1)] = begins_[at(place)] + row - lowest[at(row)];
  }
}

}  // namespace lufact::gpu
