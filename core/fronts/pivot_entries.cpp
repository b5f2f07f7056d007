// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/pivot_entries.hpp"

#include <algorithm>

#include "core/cpu/bucket_positions.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {

PivotEntries sort_by_pivot(const PatternView& b, std::span<const Index> position, bool symmetric,
                           int threads) {
  checked_index(b.nnz(), "the number of entries of B");
  const std::vector<Index> first = balanced_ranges(b.row_ptr, threads);
  const auto for_entries = [&](const auto& body) {
    parallel_for(threads, threads, [&](Offset range) {
      const auto r = static_cast<std::size_t>(range);
      for (Index i = first[r]; i < first[r + 1]; ++i) {
        const Index row = position[static_cast<std::size_t>(i)];
        Offset p = b.row_ptr[static_cast<std::size_t>(i)];
        for (const Index label : b.row(i)) {
          body(range, row, position[static_cast<std::size_t>(label)], static_cast<Index>(p++));
        }
      }
    });
  };
  BucketPositions places(threads, b.n_rows);
  parallel_for(threads, threads, [&](Offset range) { places.clear(range); });
  for_entries([&](Offset range, Index row, Index column, Index) {
    ++places.counts(range)[std::min(row, column)];
  });
  PivotEntries entries;
  entries.symmetric = symmetric;
  entries.ptr.resize(static_cast<std::size_t>(b.n_rows) + 1);
  places.to_positions(entries.ptr, threads);
  entries.entry = UninitializedArray<PivotEntry>(b.nnz());
  for_entries([&](Offset range, Index row, Index column, Index source) {
    const Offset place = places.counts(range)[std::min(row, column)]++;
    entries.entry[place] = {row > column ? ~row : column, source};
  });
  return entries;
}

}  // namespace lufact
