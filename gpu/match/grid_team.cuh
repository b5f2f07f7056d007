// SPDX-License-Identifier: BSD-3-Clause
// All threads of a cooperative launch as the team of a matching.
#pragma once
#include "gpu/match/grid_search.cuh"

namespace lufact::gpu {

class GridTeam {
 public:
  // A row of more than `most_of_warp` entries is taken by a block.
  __device__ GridTeam(MatchStorage& storage, Offset most_of_warp)
      : storage_(storage), most_of_warp_(most_of_warp) {}

  __device__ bool leads() const { return grid_.rank() == 0; }
  __device__ void sync() const { grid_.sync(); }
  template <class Body>
  __device__ void for_each(Offset count, const Body& body) const {
    grid_.for_each(count, body);
  }
  template <class Body>
  __device__ void for_all_rows(const MatchArrays& m, const Body& body) const {
    for_grid_rows(m, body);
    for_rows(m, nullptr, m.n, body);
  }
  // `list` null: all rows.
  template <class Body>
  __device__ void for_free_rows(const MatchArrays& m, const Item* list, Offset count,
                                const Body& body) const {
    if (list == nullptr) for_grid_rows(m, body);
    for_rows(m, list, count, body);
  }
  // As HostTeam::for_paths(): a warp finds the columns of its paths one after the other and visits
  // 32 of them together.
  template <class IsEnd, class Visitor>
  __device__ void for_paths(const MatchArrays& m, const IsEnd& is_end, const Visitor& visit) const {
    const auto lane = static_cast<Index>(threadIdx.x) % warp_size;
    for (Offset first = grid_.rank() - lane; first < m.n; first += grid_.size()) {
      const auto own = static_cast<Index>(first) + lane;
      unsigned ends = __ballot_sync(full_warp, own < m.n && is_end(own));
      for (; ends != 0; ends &= ends - 1) {
        Index column = static_cast<Index>(first) + __ffs(ends) - 1;
        while (column >= 0) {
          Index mine = -1;
          for (int k = 0; k < warp_size && column >= 0; ++k) {
            if (k == lane) mine = column;
            column = m.column_before[column];
          }
          if (mine >= 0) visit(mine);
        }
      }
    }
  }
  // One atomic for all threads that are here together.
  __device__ void append(const MatchArrays& m, int list, Item item) const {
    const auto here = cooperative_groups::coalesced_threads();
    std::int32_t first = 0;
    if (here.thread_rank() == 0) {
      first = atomicAdd(&m.counters->list_size[list], static_cast<std::int32_t>(here.size()));
    }
    first = here.shfl(first, 0);
    m.list[list][first + static_cast<std::int32_t>(here.thread_rank())] = item;
  }
  // By all threads.
  __device__ void raise(Units& place, Units value) const {
    value = WarpLanes<warp_size>().largest(value);
    if (threadIdx.x % warp_size == 0 && value > current(place)) atomicMax(&place, value);
  }

  // As HostTeam::search().
  __device__ bool search(const MatchArrays& m, const MatchRules& rules, std::int32_t& round,
                         Index wanted) const {
    return GridSearch(storage_, m, rules, wanted).run(round);
  }

 private:
  static constexpr int short_lanes = 8;  // of a row
  static constexpr Offset most_of_short = 32;

  template <class Body>
  __device__ void for_rows(const MatchArrays& m, const Item* list, Offset count,
                           const Body& body) const {
    for_short_rows(m, list, count, body);
    if (m.longest_row > most_of_warp_) for_long_rows(m, list, count, body);
  }
  // Row k of all or of the list.
  __device__ static Index row_at(const Item* list, Offset k) {
    return static_cast<Index>(list == nullptr ? k : Offset{list[k]});
  }
  // By 8 lanes, those that are longer by a warp.
  template <class Body>
  __device__ void for_short_rows(const MatchArrays& m, const Item* list, Offset count,
                                 const Body& body) const {
    constexpr int rows_per_warp = warp_size / short_lanes;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    for (Offset first = grid_.rank() / warp_size * rows_per_warp; first < count;
         first += grid_.size() / warp_size * rows_per_warp) {
      const Offset k = first + lane / short_lanes;
      Index row = -1;
      Offset length = 0;
      if (k < count) {
        row = row_at(list, k);
        length = m.row_ptr[row + 1] - m.row_ptr[row];
      }
      const bool is_short = row >= 0 && length <= lesser(most_of_short, most_of_warp_);
      if (is_short) body(row, WarpLanes<short_lanes>());
      __syncwarp();
      const bool is_longer = row >= 0 && !is_short && length <= most_of_warp_;
      unsigned longer = __ballot_sync(full_warp, is_longer && lane % short_lanes == 0);
      for (; longer != 0; longer &= longer - 1) {
        body(__shfl_sync(full_warp, row, __ffs(longer) - 1), WarpLanes<warp_size>());
        __syncwarp();
      }
    }
  }
  // By the whole grid, one after the other.
  template <class Body>
  __device__ void for_grid_rows(const MatchArrays& m, const Body& body) const {
    using Lanes = GridLanes<match_threads>;
    if (m.grid_rows.count == 0) return;
    const Lanes lanes(storage_.places, *reinterpret_cast<Lanes::Words*>(m.block_words));
    for (int k = 0; k < m.grid_rows.count; ++k) body(m.grid_rows.row[k], lanes);
  }
  __device__ static bool is_grid_row(const MatchArrays& m, Index row) {
    bool found = false;
    for (int k = 0; k < m.grid_rows.count; ++k) found = found || m.grid_rows.row[k] == row;
    return found;
  }
  // By a block each, those of a list also where all rows leave them to the grid. Neighbours in it,
  // which are often long together, go to other blocks.
  template <class Body>
  __device__ void for_long_rows(const MatchArrays& m, const Item* list, Offset count,
                                const Body& body) const {
    for (Offset first = 0; first < count; first += grid_.size()) {
      if (threadIdx.x == 0) storage_.long_rows = 0;
      __syncthreads();
      const Offset k = first + Offset{threadIdx.x} * gridDim.x + blockIdx.x;
      if (k < count) {
        const Index row = row_at(list, k);
        const bool is_long = m.row_ptr[row + 1] - m.row_ptr[row] > most_of_warp_;
        if (is_long && (list != nullptr || !is_grid_row(m, row))) {
          storage_.long_row[atomicAdd(&storage_.long_rows, 1)] = row;
        }
      }
      __syncthreads();
      for (std::int32_t r = 0; r < storage_.long_rows; ++r) {
        body(storage_.long_row[r], BlockLanes<match_threads>(storage_.places));
      }
      __syncthreads();
    }
  }
  Grid grid_;
  MatchStorage& storage_;
  Offset most_of_warp_;
};

}  // namespace lufact::gpu
