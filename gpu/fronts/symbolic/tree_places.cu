// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>

#include "gpu/components/scan.hpp"
#include "gpu/components/thread_each.cuh"
#include "gpu/fronts/symbolic/tree_places.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

// The number in front f of the row at `position`, a pivot of f or one of its rows.
__device__ Index number_in(const FrontsRef& fronts, Index f, Index position) {
  const Index first = fronts.first[f], beyond = fronts.first[f + 1];
  if (position < beyond) return position - first;
  const Offset begin = fronts.row_ptr[f];
  Offset low = begin, high = fronts.row_ptr[f + 1];
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    if (fronts.row[middle] < position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return beyond - first + static_cast<Index>(low - begin);
}

// One thread a row.
__global__ void place_in_parents_kernel(const __grid_constant__ FrontsRef fronts,
                                        const __grid_constant__ FrontRows rows, Index* parent_row) {
  const Offset k = own_thread();
  if (k >= rows.count) return;
  parent_row[k] = number_in(fronts, fronts.parent[rows.front[k]], rows.row[k]);
}

// One thread an entry. Entries below the diagonal sort by column, others behind them.
__global__ void find_sides(PatternRef pattern, Offset nnz, const Index* row_of,
                           const __grid_constant__ EntryOrder order) {
  const Offset k = own_thread();
  if (k >= nnz) return;
  const Index row = row_of[k] < 0 ? ~row_of[k] : row_of[k], column = pattern.col_idx[k];
  order.key[k] = column < row ? column : pattern.n;
  order.entry[k] = static_cast<Index>(k);
  if (column == row) order.diagonal[row] = k;
}

// One thread a column, and one beyond.
__global__ void find_columns(PatternRef pattern, Offset nnz,
                             const __grid_constant__ EntryOrder order) {
  const Offset column = own_thread();
  if (column > pattern.n) return;
  Offset low = 0, high = nnz;
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    if (order.column_of[middle] < column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  order.below[column] = static_cast<Index>(low);
}

// One thread a position, and one beyond.
__global__ void count_entries(PatternRef pattern, const Index* column_at,
                              const __grid_constant__ EntryOrder order) {
  const Offset position = own_thread();
  if (position > pattern.n) return;
  Offset count = 0;
  if (position < pattern.n) {
    const Index column = column_at[position];
    count = pattern.row_ptr[column + 1] - order.diagonal[column] + order.below[column + 1] -
            order.below[column];
  }
  order.before[position] = count;
}

// One thread a front, and one beyond.
__global__ void write_entry_ptr(const __grid_constant__ FrontsRef fronts, const Offset* before,
                                Offset* entry_ptr) {
  const Offset f = own_thread();
  if (f <= fronts.count) entry_ptr[f] = before[fronts.first[f]];
}

class EntryPlacer {
 public:
  __device__ EntryPlacer(const PatternRef& pattern, const Index* row_of, const Index* source,
                         const FrontsRef& fronts, const PositionArrays& positions,
                         const EntryOrder& order, const FrontEntries& entries)
      : pattern_(pattern),
        row_of_(row_of),
        source_(source),
        fronts_(fronts),
        positions_(positions),
        order_(order),
        entries_(entries) {}

  // Places entry k if it is on the diagonal or right of it; such entries come first of a pivot's.
  __device__ void place_right(Offset k) const {
    const Index row = row_of(k), column = pattern_.col_idx[k];
    if (column < row) return;
    const Offset to = order_.before[positions_.position[row]] + k - order_.diagonal[row];
    const Index pivot = write_source(to, k, row), f = positions_.front_of[row];
    entries_.row[to] = pivot;
    entries_.column[to] = number_in(fronts_, f, positions_.position[column]);
  }

  // Places the k-th entry below the diagonal by columns, if there are so many.
  __device__ void place_below(Offset k) const {
    const Index column = order_.column_of[k];
    if (column == pattern_.n) return;
    const Index entry = order_.by_column[k], f = positions_.front_of[column];
    const Offset right = pattern_.row_ptr[column + 1] - order_.diagonal[column];
    const Offset to = order_.before[positions_.position[column]] + right + k - order_.below[column];
    const Index pivot = write_source(to, entry, column);
    entries_.row[to] = number_in(fronts_, f, positions_.position[row_of(entry)]);
    entries_.column[to] = pivot;
  }

 private:
  __device__ Index row_of(Offset entry) const {
    return row_of_[entry] < 0 ? ~row_of_[entry] : row_of_[entry];
  }
  // Returns the number of the pivot, which is a column of the pattern, in its front.
  __device__ Index write_source(Offset to, Offset entry, Index pivot) const {
    entries_.source[to] = source_ == nullptr ? static_cast<Index>(entry) : source_[entry];
    return positions_.position[pivot] - fronts_.first[positions_.front_of[pivot]];
  }

  const PatternRef& pattern_;
  const Index* row_of_;
  const Index* source_;
  const FrontsRef& fronts_;
  const PositionArrays& positions_;
  const EntryOrder& order_;
  const FrontEntries& entries_;
};

// One thread an entry.
__global__ void place_entries_kernel(const __grid_constant__ PatternRef pattern, Offset nnz,
                                     const Index* row_of, const Index* source,
                                     const __grid_constant__ FrontsRef fronts,
                                     const __grid_constant__ PositionArrays positions,
                                     const __grid_constant__ EntryOrder order,
                                     const __grid_constant__ FrontEntries entries) {
  const Offset k = own_thread();
  if (k >= nnz) return;
  const EntryPlacer placer(pattern, row_of, source, fronts, positions, order, entries);
  placer.place_right(k);
  placer.place_below(k);
}

// One thread a column.
__global__ void renumber(Index n, const Index* number, Index* front_of) {
  const Offset k = own_thread();
  if (k < n) front_of[k] = number[front_of[k]];
}

}  // namespace

void place_in_parents(DeviceSession& session, const FrontsRef& fronts, const FrontRows& rows,
                      Index* parent_row) {
  launch(session, thread_each(rows.count), place_in_parents_kernel, fronts, rows, parent_row);
}

void EntryOrder::lay_out(DeviceSession& session, Carver& carver, Index n, Offset nnz) {
  diagonal = carver.take<Offset>(n);
  before = carver.take<Offset>(n + Offset{1});
  below = carver.take<Index>(n + Offset{1});
  key = carver.take<Index>(nnz);
  column_of = carver.take<Index>(nnz);
  entry = carver.take<Index>(nnz);
  by_column = carver.take<Index>(nnz);
  sorting.bytes = sort_pairs_bytes(session, nnz);
  sorting.data = carver.take<std::byte>(static_cast<Offset>(sorting.bytes));
}

void sort_entries(DeviceSession& session, const PostorderedForest& forest,
                  const EntryOrder& order) {
  const PatternRef& pattern = forest.pattern();
  const Offset nnz = forest.nnz();
  launch(session, thread_each(nnz), find_sides, pattern, nnz, forest.arrays().row_of, order);
  sort_pairs(session, order.sorting, order.key, order.column_of, order.entry, order.by_column, nnz,
             std::bit_width(static_cast<unsigned>(pattern.n)));
  launch(session, thread_each(pattern.n + Offset{1}), find_columns, pattern, nnz, order);
}

void place_entries(DeviceSession& session, const PostorderedForest& forest, const FrontsRef& fronts,
                   const PositionArrays& positions, const EntryOrder& order,
                   const FrontEntries& entries) {
  const PatternRef& pattern = forest.pattern();
  const Offset nnz = forest.nnz(), columns = pattern.n + Offset{1};
  launch(session, thread_each(columns), count_entries, pattern, positions.column, order);
  exclusive_scan_in_place(session, order.before, columns);
  launch(session, thread_each(fronts.count + Offset{1}), write_entry_ptr, fronts, order.before,
         entries.ptr);
  launch(session, thread_each(nnz), place_entries_kernel, pattern, nnz, forest.arrays().row_of,
         forest.source(), fronts, positions, order, entries);
}

void renumber_fronts(DeviceSession& session, Index n, const Index* number, Index* front_of) {
  launch(session, thread_each(n), renumber, n, number, front_of);
}

}  // namespace lufact::gpu
