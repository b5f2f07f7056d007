// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>

#include "gpu/components/grid_scan.cuh"
#include "gpu/components/thread_each.cuh"
#include "gpu/forest/panel_slots.cuh"
#include "gpu/fronts/symbolic/tree_rows.hpp"

namespace lufact::gpu {
namespace {

// One thread a column.
__global__ void place_columns_kernel(Index n, const __grid_constant__ CountArrays counts,
                                     const Index* front_of_set, const Index* place_of_set,
                                     const Index* label_of,
                                     const __grid_constant__ PositionArrays positions,
                                     Index* label) {
  const Offset k = own_thread();
  if (k >= n) return;
  const auto column = static_cast<Index>(k);
  const Index set = counts.set_of[column];
  const Index position = place_of_set[set] + column - counts.set[set].first;
  positions.position[column] = position;
  positions.column[position] = column;
  positions.front_of[column] = front_of_set[set];
  label[position] = label_of == nullptr ? column : label_of[column];
}

class RowFinder {
 public:
  __device__ RowFinder(const EdgeLists& edges, const Index* parent, const PositionArrays& positions,
                       const FoundRows& found, GridScanStorage<Offset>& shared)
      : edges_(edges), parent_(parent), positions_(positions), found_(found), shared_(shared) {}

  __device__ void run(const Grid& grid) const {
    count(grid);
    grid.sync();
    add_up(grid);
    grid.sync();
    place(grid);
    grid.sync();
    write(grid);
  }

 private:
  // Calls visit(front) for every front that has edge.high as a row because of this edge.
  template <class Visit>
  __device__ void climb(const Edge& edge, const Visit& visit) const {
    const Index stop = positions_.front_of[edge.next];
    for (Index f = positions_.front_of[edge.low]; f < stop; f = parent_[f]) visit(f);
  }

  __device__ void count(const Grid& grid) const {
    grid.for_each(edges_.count, [&](Offset k) {
      Edge edge;
      Index rows = 0;
      if (load_edge(edges_, k, edge)) climb(edge, [&](Index) { ++rows; });
      found_.rows_before[k + 1] = rows;
    });
    if (grid.rank() == 0) found_.rows_before[0] = 0;
  }

  __device__ void add_up(const Grid& grid) const {
    Offset* const before = found_.rows_before;
    grid_scan(
        grid, shared_, found_.partial, edges_.count, Offset{0}, Plus{},
        [&](Offset k) { return before[k + 1]; },
        [&](Offset k, Offset sum) { before[k + 1] = sum; });
  }

  // Rows are written by position: shift[column] moves rows there from the order of edges.
  __device__ void place(const Grid& grid) const {
    const Offset* const before = found_.rows_before;
    grid_scan(
        grid, shared_, found_.partial_columns, edges_.n, Offset{0}, Plus{},
        [&](Offset position) {
          const Index column = positions_.column[position];
          return before[first_edge(column + 1)] - before[first_edge(column)];
        },
        [&](Offset position, Offset sum) {
          const Index column = positions_.column[position];
          found_.shift[column] = sum - before[first_edge(column + 1)];
        });
  }

  __device__ void write(const Grid& grid) const {
    grid.for_each(edges_.count, [&](Offset k) {
      Edge edge;
      if (!load_edge(edges_, k, edge)) return;
      Offset to = found_.rows_before[k] + found_.shift[edge.high];
      climb(edge, [&](Index front) {
        found_.front[to] = front;
        found_.row[to++] = positions_.position[edge.high];
      });
    });
  }

  // The first item whose later end is not before `column`.
  __device__ Offset first_edge(Index column) const {
    if (edges_.keys == nullptr) return edges_.matrix.row_ptr[column];
    const std::uint64_t key = static_cast<std::uint64_t>(column) << edges_.bits;
    Offset low = 0, high = edges_.count;
    while (low < high) {
      const Offset middle = low + (high - low) / 2;
      if (edges_.keys[middle] < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  const EdgeLists& edges_;
  const Index* parent_;
  const PositionArrays& positions_;
  const FoundRows& found_;
  GridScanStorage<Offset>& shared_;
};

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    find_rows(const __grid_constant__ EdgeLists edges, const Index* parent,
              const __grid_constant__ PositionArrays positions,
              const __grid_constant__ FoundRows found) {
  __shared__ GridScanStorage<Offset> shared;
  RowFinder(edges, parent, positions, found, shared).run(Grid());
}

// One thread a row.
__global__ void shift_rows_kernel(const __grid_constant__ FrontRows from, const Index* number,
                                  const Offset* shift, const __grid_constant__ FrontRows to) {
  const Offset k = own_thread();
  if (k >= from.count) return;
  const Index front = from.front[k];
  const Offset place = k + shift[front];
  to.front[place] = number[front];
  to.row[place] = from.row[k];
}

// One warp a copy.
__global__ void copy_rows_kernel(const RowCopy* copies, Offset count, const Index* from, Index* to,
                                 Index* front_to) {
  const Offset k = own_warp();
  if (k >= count) return;
  const RowCopy copy = copies[k];
  for (Index r = static_cast<Index>(threadIdx.x) % warp_size; r < copy.count; r += warp_size) {
    to[copy.to + r] = from[copy.from + r];
    if (front_to != nullptr) front_to[copy.to + r] = copy.front;
  }
}

}  // namespace

void PositionArrays::lay_out(Carver& carver, Index n) {
  position = carver.take<Index>(n);
  column = carver.take<Index>(n);
  front_of = carver.take<Index>(n);
}

void FoundRows::lay_out(DeviceSession& session, Carver& carver, const EdgeLists& edges,
                        Offset count, Offset blocks) {
  rows_before = carver.take<Offset>(edges.count + 1);
  shift = carver.take<Offset>(edges.n);
  partial = carver.take<Offset>(blocks);
  partial_columns = carver.take<Offset>(blocks);
  front = carver.take<Index>(count);
  row = carver.take<Index>(count);
  sorting.bytes = sort_pairs_bytes(session, count);
  sorting.data = carver.take<std::byte>(static_cast<Offset>(sorting.bytes));
}

void place_columns(DeviceSession& session, Index n, const CountArrays& counts,
                   const Index* front_of_set, const Index* place_of_set, const Index* label_of,
                   const PositionArrays& positions, Index* label) {
  launch(session, thread_each(n), place_columns_kernel, n, counts, front_of_set, place_of_set,
         label_of, positions, label);
}

void find_front_rows(DeviceSession& session, const EdgeLists& edges, const Index* parent,
                     Index fronts, const PositionArrays& positions, const FoundRows& found,
                     const FrontRows& rows) {
  launch_grid(session, std::max(edges.count, Offset{edges.n}), find_rows, edges, parent, positions,
              found);
  sort_pairs(session, found.sorting, found.front, rows.front, found.row, rows.row, rows.count,
             std::bit_width(static_cast<unsigned>(fronts)));
}

void shift_rows(DeviceSession& session, const FrontRows& from, const Index* number,
                const Offset* shift, const FrontRows& to) {
  launch(session, thread_each(from.count), shift_rows_kernel, from, number, shift, to);
}

void copy_rows(DeviceSession& session, const RowCopy* copies, Offset count, const Index* from,
               Index* to, Index* front_to) {
  launch(session, warp_each(count), copy_rows_kernel, copies, count, from, to, front_to);
}

}  // namespace lufact::gpu
