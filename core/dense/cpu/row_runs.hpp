// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>

#include "core/base/types.hpp"

namespace lufact {

// Rows [first, end) in runs of about equal length, one for each thread of a team. Every step that
// goes over the rows gives a thread the same ones, which stay in its cache.
class RowRuns {
 public:
  // Runs begin at multiples of `unit` behind `first`: whole cache lines, and whole strips of the
  // product under every instruction set.
  static constexpr Index unit = 48;

  RowRuns(Index first, Index end, int size)
      : first_(first), end_(end), size_(size), units_((Offset{end} - first + unit - 1) / unit) {}

  Index begin(int rank) const {
    return static_cast<Index>(std::min<Offset>(end_, first_ + units_ * rank / size_ * unit));
  }
  Index end(int rank) const { return begin(rank + 1); }
  // The thread whose run has `row`, one of [first, end).
  int owner(Index row) const {
    const Offset of_row = (row - first_) / unit;
    return static_cast<int>(((of_row + 1) * size_ - 1) / units_);
  }

 private:
  Index first_, end_;
  int size_;
  Offset units_;
};

}  // namespace lufact
