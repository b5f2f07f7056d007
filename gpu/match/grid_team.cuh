// SPDX-License-Identifier: BSD-3-Clause
// All threads of a cooperative launch as the team of a matching.
#pragma once
#include "gpu/components/grid.cuh"
#include "gpu/match/lanes.cuh"
#include "gpu/match/search.hpp"

namespace lufact::gpu {

inline constexpr int match_threads = 1024;  // of each block, one of which a multiprocessor has

// What a block keeps in shared memory.
struct MatchStorage {
  static constexpr std::int32_t queued_items = 4096;

  Item queue[2][queued_items];
  std::int32_t queued[3];  // items of one round each
  std::int32_t place;
  std::int32_t reached[DistanceBuckets::count];  // of the first block: free columns by distance
  Index long_row[match_threads];                 // rows that the block takes as a whole
  std::int32_t long_rows;
  BlockLanes<match_threads>::Places places;
};

// Items of the next round: in shared memory, what it has no room for in the list.
class BlockQueue {
 public:
  __device__ BlockQueue(Item* queue, std::int32_t& size, Item* list, std::int32_t& list_size)
      : queue_(queue), size_(size), list_(list), list_size_(list_size) {}

  __device__ void push(Index row, Offset length) {
    const auto chunks = static_cast<std::int32_t>(chunks_of(length));
    const std::int32_t at = atomicAdd(&size_, chunks);
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
      const Item item = static_cast<Item>(row) | static_cast<Item>(chunk) << row_bits_of_item;
      if (at + chunk < MatchStorage::queued_items) {
        queue_[at + chunk] = item;
      } else {
        list_[atomicAdd(&list_size_, 1)] = item;
      }
    }
  }

 private:
  Item* queue_;
  std::int32_t& size_;
  Item* list_;
  std::int32_t& list_size_;
};

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
    for_rows(m, nullptr, m.n, body);
  }
  // `list` null: all rows.
  template <class Body>
  __device__ void for_free_rows(const MatchArrays& m, const Item* list, Offset count,
                                const Body& body) const {
    for_rows(m, list, count, body);
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

  // As HostTeam::search(): a round is a sweep of the grid, or where it has few items a sweep of
  // the first block, whose barrier takes less and whose queues are in shared memory.
  __device__ bool search(const MatchArrays& m, const MatchRules& rules, std::int32_t& round,
                         Index wanted) const {
    MatchCounters& counters = *m.counters;
    if (blockIdx.x == 0) {
      for (int b = static_cast<int>(threadIdx.x); b < DistanceBuckets::count; b += match_threads) {
        storage_.reached[b] = 0;
      }
      __syncthreads();
    }
    const std::int32_t first_round = round;
    bool stopped = false;
    int list = 0;
    for (std::int32_t items = counters.list_size[0]; items > 0 && !stopped;) {
      const int next = (list + 1) % 3, spare = (list + 2) % 3;
      if (items <= narrow_items) {
        if (blockIdx.x == 0) sweep_in_block(m, rules, round, wanted, list, items);
        grid_.sync();
        items = counters.narrow_items;
        round = counters.narrow_round;
        stopped = counters.narrow_stopped != 0;
      } else {
        ++round;
        if (leads()) counters.list_size[spare] = 0;
        sweep_of_grid(m, round, wanted, m.list[list], items, next);
        grid_.sync();
        items = counters.list_size[next];
      }
      stopped = stopped || round > rules.rounds;
      list = next;
    }
    if (leads()) counters.rounds += round - first_round;
    if (blockIdx.x == 0 && threadIdx.x < warp_size) {
      bound_distances(m, 0, wanted);
      bound_distances(m, 1, wanted);
    }
    grid_.sync();
    return !stopped;
  }

 private:
  static constexpr int short_lanes = 8;              // of a row or chunk
  static constexpr int chunk_lanes = chunk_entries;  // where few items are at hand
  static constexpr Offset most_of_short = 32;
  static constexpr std::int32_t narrow_items = match_threads / short_lanes;

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
  // By a block each. Neighbours in the list, which are often long together, go to other blocks.
  template <class Body>
  __device__ void for_long_rows(const MatchArrays& m, const Item* list, Offset count,
                                const Body& body) const {
    for (Offset first = 0; first < count; first += grid_.size()) {
      if (threadIdx.x == 0) storage_.long_rows = 0;
      __syncthreads();
      const Offset k = first + Offset{threadIdx.x} * gridDim.x + blockIdx.x;
      if (k < count) {
        const Index row = row_at(list, k);
        if (m.row_ptr[row + 1] - m.row_ptr[row] > most_of_warp_) {
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
  __device__ void sweep_of_grid(const MatchArrays& m, std::int32_t round, Index wanted,
                                const Item* items, std::int32_t count, int next) const {
    std::int32_t& size = m.counters->list_size[next];
    if (threadIdx.x == 0) storage_.queued[0] = 0;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x >= match_threads - warp_size) {
      bound_distances(m, round - 1, wanted);
    }
    BlockQueue queue(storage_.queue[0], storage_.queued[0], m.list[next], size);
    const Relaxation relaxation(m, queue, round);
    const WarpLanes<short_lanes> lanes;
    for (Offset k = grid_.rank() / short_lanes; k < count; k += grid_.size() / short_lanes) {
      relaxation.relax(items[k], lanes);
    }
    __syncthreads();
    const std::int32_t queued = lesser(storage_.queued[0], MatchStorage::queued_items);
    if (queued == 0) return;
    if (threadIdx.x == 0) storage_.place = atomicAdd(&size, queued);
    __syncthreads();
    for (std::int32_t k = static_cast<std::int32_t>(threadIdx.x); k < queued; k += match_threads) {
      m.list[next][storage_.place + k] = storage_.queue[0][k];
    }
  }

  // Rounds by the first block until none is left or there are too many items for one block. The
  // items of `list` come from there; what is left goes to the next list.
  __device__ void sweep_in_block(const MatchArrays& m, const MatchRules& rules, std::int32_t round,
                                 Index wanted, int list, std::int32_t items) const {
    MatchCounters& counters = *m.counters;
    const int next = (list + 1) % 3;
    const auto thread = static_cast<std::int32_t>(threadIdx.x);
    std::int32_t thin_rounds = counters.thin_rounds;
    for (std::int32_t k = thread; k < items; k += match_threads) {
      storage_.queue[0][k] = m.list[list][k];
    }
    if (thread < 3) storage_.queued[thread] = 0;
    __syncthreads();
    int from = 0;
    bool stopped = false;
    for (int step = 0; items > 0 && items <= 2 * narrow_items && !stopped; ++step) {
      ++round;
      if (items <= rules.thin_items) ++thin_rounds;
      stopped = round > rules.rounds || thin_rounds > rules.thin_rounds;
      // Counted in the round before the last one: nobody reads it any more.
      if (thread == 0) storage_.queued[(step + 1) % 3] = 0;
      if (thread >= match_threads - warp_size) bound_distances(m, round - 1, wanted);
      BlockQueue queue(storage_.queue[1 - from], storage_.queued[step % 3], m.list[next],
                       counters.list_size[next]);
      const Relaxation<BlockQueue, true> relaxation(m, queue, round);
      for (std::int32_t k = thread / chunk_lanes; k < items; k += match_threads / chunk_lanes) {
        relaxation.relax(storage_.queue[from][k], WarpLanes<chunk_lanes>());
      }
      __syncthreads();
      items = storage_.queued[step % 3];
      from = 1 - from;
    }
    const std::int32_t kept = lesser(items, MatchStorage::queued_items);
    const std::int32_t overflow = items - kept;
    for (std::int32_t k = thread; k < kept; k += match_threads) {
      m.list[next][overflow + k] = storage_.queue[from][k];
    }
    if (thread == 0) {
      counters.list_size[next] = items;
      counters.list_size[(list + 2) % 3] = 0;
      counters.narrow_items = items;
      counters.narrow_round = round;
      counters.thin_rounds = thin_rounds;
      counters.narrow_stopped = stopped ? 1 : 0;
    }
  }

  // By one warp of the first block: takes in the changes of a finished round and lowers the bound
  // to the end of the bucket in which the `wanted`-th free column is.
  __device__ void bound_distances(const MatchArrays& m, std::int32_t round, Index wanted) const {
    constexpr int buckets_a_lane = DistanceBuckets::count / warp_size;
    std::int32_t* const changes = m.histogram + (round & 1) * DistanceBuckets::count;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    std::int32_t own[buckets_a_lane], sum = 0;
#pragma unroll
    for (int k = 0; k < buckets_a_lane; ++k) {
      const int bucket = lane * buckets_a_lane + k;
      const std::int32_t change = current(changes[bucket]);
      if (change != 0) changes[bucket] = 0;
      own[k] = storage_.reached[bucket] += change;
      sum += own[k];
    }
    std::int32_t within = sum;
#pragma unroll
    for (int distance = 1; distance < warp_size; distance *= 2) {
      const std::int32_t other = __shfl_up_sync(full_warp, within, distance);
      if (lane >= distance) within += other;
    }
    within -= sum;
    Units bound = current(m.counters->bound);
#pragma unroll
    for (int k = 0; k < buckets_a_lane; ++k) {
      const bool before = within < wanted;
      within += own[k];
      if (before && within >= wanted) {
        bound = lesser(bound, DistanceBuckets::last(lane * buckets_a_lane + k));
      }
    }
    bound = WarpLanes<warp_size>().least(bound);
    if (lane == 0) m.counters->bound = bound;
  }

  Grid grid_;
  MatchStorage& storage_;
  Offset most_of_warp_;
};

}  // namespace lufact::gpu
