// SPDX-License-Identifier: BSD-3-Clause
// The entries of B sorted by the pivot that assembles them.
#pragma once
#include <span>
#include <vector>

#include "core/cpu/uninitialized_array.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

// An entry of B at two positions: that of its earlier label, by which entries are sorted, and
// `later`. An entry of the lower triangle has its row at `later`, one of the upper its column.
struct PivotEntry {
  Index later = 0;   // for the lower triangle: complement (~) of the position
  Index source = 0;  // position among the values of B

  Index later_position() const noexcept { return later < 0 ? ~later : later; }
  bool lower() const noexcept { return later < 0; }
};

// The entries whose earlier position is k: entry[ptr[k] .. ptr[k+1]), in order of B's rows.
struct PivotEntries {
  std::vector<Offset> ptr;
  UninitializedArray<PivotEntry> entry;
  bool symmetric = false;  // the lower triangle has no position that the upper has not

  std::span<const PivotEntry> of(Index position) const noexcept {
    return entry.subspan(ptr[static_cast<std::size_t>(position)],
                         ptr[static_cast<std::size_t>(position) + 1]);
  }
  // Whether the structure of B + B' is known without this entry.
  bool redundant(const PivotEntry& one) const noexcept { return symmetric && one.lower(); }
};

// `position` is that of each label of B, `symmetric` says that the pattern is. Throws
// Error{unsupported, "index_overflow"} for more than 2^31 - 1 entries. O(n threads + nnz) work.
PivotEntries sort_by_pivot(const PatternView& b, std::span<const Index> position, bool symmetric,
                           int threads);

}  // namespace lufact
