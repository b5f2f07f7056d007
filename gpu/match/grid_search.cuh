// SPDX-License-Identifier: BSD-3-Clause
// The searches of a matching by all threads of a cooperative launch.
#pragma once
#include "gpu/components/grid.cuh"
#include "gpu/match/lanes.cuh"
#include "gpu/match/search.hpp"

namespace lufact::gpu {

inline constexpr int match_threads = 1024;  // of each block, one of which a multiprocessor has

// What a block keeps in shared memory.
struct MatchStorage {
  static constexpr std::int32_t queued_items = 4096;
  static constexpr int steps = 5;  // at most, of a round

  Item queue[2][queued_items];
  std::int32_t queued[steps];  // items of a round or step each, before they are used again
  std::int32_t count, place;   // of items on their way to a list
  std::int32_t reached[DistanceBuckets::count];  // of the first block: free columns by distance
  Index long_row[match_threads];                 // rows that the block takes as a whole
  std::int32_t long_rows;
  BlockLanes<match_threads>::Places places;
};

__device__ inline Item item_of(Index row, std::int32_t chunk) {
  return static_cast<Item>(row) | static_cast<Item>(chunk) << row_bits_of_item;
}

// Items of the next round: in shared memory, what it has no room for in the list.
class BlockQueue {
 public:
  __device__ BlockQueue(Item* queue, std::int32_t& size, Item* list, std::int32_t& list_size)
      : queue_(queue), size_(size), list_(list), list_size_(list_size) {}

  __device__ void push(Index row, Offset length) {
    const auto chunks = static_cast<std::int32_t>(chunks_of(length));
    const std::int32_t at = atomicAdd(&size_, chunks);
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
      if (at + chunk < MatchStorage::queued_items) {
        queue_[at + chunk] = item_of(row, chunk);
      } else {
        list_[atomicAdd(&list_size_, 1)] = item_of(row, chunk);
      }
    }
  }

 private:
  Item* queue_;
  std::int32_t& size_;
  Item* list_;
  std::int32_t& list_size_;
};

// The list of the next round, for blocks that have relaxed by themselves: each row once, whichever
// of them have found it.
class NextList {
 public:
  __device__ NextList(const MatchArrays& m, std::int32_t round, int list)
      : m_(m), round_(round), list_(m.list[list]), size_(m.counters->list_size[list]) {}

  __device__ bool takes(Index row) const { return exchange(m_.last_round[row], round_) != round_; }
  __device__ std::int32_t reserve(std::int32_t items) { return atomicAdd(&size_, items); }
  __device__ void put(std::int32_t at, Index row, std::int32_t chunks) {
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) list_[at + chunk] = item_of(row, chunk);
  }

 private:
  const MatchArrays& m_;
  std::int32_t round_;
  Item* list_;
  std::int32_t& size_;
};

// Items that a block goes on from by itself or leaves to the next round; rows that it has no room
// for are left at once.
class StepQueue {
 public:
  __device__ StepQueue(Item* queue, std::int32_t& size, NextList& next)
      : queue_(queue), size_(size), next_(next) {}

  __device__ void push(Index row, Offset length) {
    const auto chunks = static_cast<std::int32_t>(chunks_of(length));
    const std::int32_t at = atomicAdd(&size_, chunks);
    if (at >= MatchStorage::queued_items) {
      if (next_.takes(row)) next_.put(next_.reserve(chunks), row, chunks);
      return;
    }
    const std::int32_t fitting = lesser(chunks, MatchStorage::queued_items - at);
    for (std::int32_t chunk = 0; chunk < fitting; ++chunk) queue_[at + chunk] = item_of(row, chunk);
  }

 private:
  Item* queue_;
  std::int32_t& size_;
  NextList& next_;
};

class GridSearch {
 public:
  __device__ GridSearch(MatchStorage& storage, const MatchArrays& m, const MatchRules& rules,
                        Index wanted)
      : storage_(storage), m_(m), rules_(rules), wanted_(wanted) {}

  // A round is a sweep of the grid, or where it has few items a sweep of the first block, whose
  // barrier takes less and whose queues are in shared memory. Ends with a barrier.
  __device__ bool run(std::int32_t& round) const {
    MatchCounters& counters = *m_.counters;
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
        if (blockIdx.x == 0) sweep_in_block(round, list, items);
        grid_.sync();
        items = counters.narrow_items;
        round = counters.narrow_round;
        stopped = counters.narrow_stopped != 0;
      } else {
        ++round;
        if (grid_.rank() == 0) counters.list_size[spare] = 0;
        sweep_of_grid(round, list, items);
        grid_.sync();
        items = counters.list_size[next];
      }
      stopped = stopped || round > rules_.rounds;
      list = next;
    }
    if (grid_.rank() == 0) counters.rounds += round - first_round;
    if (blockIdx.x == 0 && threadIdx.x < warp_size) {
      bound_distances(0);
      bound_distances(1);
    }
    grid_.sync();
    return !stopped;
  }

 private:
  static constexpr int many_lanes = 8;             // of an item, where many are at hand
  static constexpr int few_lanes = chunk_entries;  // where few are
  static constexpr int groups = match_threads / few_lanes;
  static constexpr int own_steps = MatchStorage::steps - 1;  // of a block, in a round of few items
  static constexpr std::int32_t narrow_items = match_threads / many_lanes;

  // Differs for all rounds, steps and blocks, until it has come round.
  __device__ static Visit visit_of(std::int32_t round, int step, unsigned block) {
    return (static_cast<Visit>(round) * (own_steps + 1) + static_cast<Visit>(step)) * gridDim.x +
           block;
  }
  __device__ BlockQueue block_queue(Item* queue, std::int32_t& size, int list) const {
    return {queue, size, m_.list[list], m_.counters->list_size[list]};
  }

  __device__ void sweep_of_grid(std::int32_t round, int list, std::int32_t items) const {
    if (threadIdx.x <= own_steps) storage_.queued[threadIdx.x] = 0;
    if (threadIdx.x == 0) storage_.count = 0;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x >= match_threads - warp_size) bound_distances(round - 1);
    if (items <= static_cast<std::int32_t>(gridDim.x) * groups) {
      relax_few(round, list, items);
    } else {
      relax_many(round, list, items);
    }
  }

  __device__ void relax_many(std::int32_t round, int list, std::int32_t items) const {
    const int next = (list + 1) % 3;
    BlockQueue queue = block_queue(storage_.queue[0], storage_.queued[0], next);
    const Relaxation relaxation(m_, queue, round, visit_of(round, 0, 0));
    const WarpLanes<many_lanes> lanes;
    for (Offset k = grid_.rank() / many_lanes; k < items; k += grid_.size() / many_lanes) {
      relaxation.relax(m_.list[list][k], lanes);
    }
    __syncthreads();
    const std::int32_t queued = lesser(storage_.queued[0], MatchStorage::queued_items);
    if (queued == 0) return;
    if (threadIdx.x == 0) storage_.place = atomicAdd(&m_.counters->list_size[next], queued);
    __syncthreads();
    for (std::int32_t k = static_cast<std::int32_t>(threadIdx.x); k < queued; k += match_threads) {
      m_.list[next][storage_.place + k] = storage_.queue[0][k];
    }
  }

  // One item a group of lanes, neighbours in different blocks. From what a block has found it goes
  // on by itself, where its groups can take it: the barrier of the grid takes longer.
  __device__ void relax_few(std::int32_t round, int list, std::int32_t items) const {
    NextList next(m_, round, (list + 1) % 3);
    const auto group = static_cast<std::int32_t>(threadIdx.x) / few_lanes;
    const std::int32_t k =
        group * static_cast<std::int32_t>(gridDim.x) + static_cast<std::int32_t>(blockIdx.x);
    bool has_item = k < items;
    Item item = has_item ? m_.list[list][k] : 0;
    for (int step = 0;; ++step) {
      StepQueue queue(storage_.queue[step % 2], storage_.queued[step], next);
      const Relaxation<StepQueue, true> relaxation(m_, queue, round,
                                                   visit_of(round, step, blockIdx.x));
      if (has_item) relaxation.relax(item, WarpLanes<few_lanes>());
      __syncthreads();
      const std::int32_t found = storage_.queued[step];
      if (found == 0) return;
      if (step == own_steps || found > groups) {
        leave(storage_.queue[step % 2], lesser(found, MatchStorage::queued_items), next);
        return;
      }
      has_item = group < found;
      if (has_item) item = storage_.queue[step % 2][group];
    }
  }
  // Leaves the rows of these items to the next round.
  __device__ void leave(const Item* queue, std::int32_t items, NextList& next) const {
    for (std::int32_t first = 0; first < items; first += match_threads) {
      const std::int32_t k = first + static_cast<std::int32_t>(threadIdx.x);
      const Item item = k < items ? queue[k] : 0;
      const auto row = static_cast<Index>(item & (most_rows - 1));
      std::int32_t chunks = 0, place = 0;
      if (k < items && item >> row_bits_of_item == 0 && next.takes(row)) {
        chunks = static_cast<std::int32_t>(chunks_of(m_.row_ptr[row + 1] - m_.row_ptr[row]));
        place = atomicAdd(&storage_.count, chunks);
      }
      __syncthreads();
      if (threadIdx.x == 0) {
        storage_.place = next.reserve(storage_.count);
        storage_.count = 0;
      }
      __syncthreads();
      next.put(storage_.place + place, row, chunks);
      __syncthreads();
    }
  }

  // Rounds by the first block until none is left or there are too many items for one block. The
  // items of `list` come from there; what is left goes to the next list.
  __device__ void sweep_in_block(std::int32_t round, int list, std::int32_t items) const {
    MatchCounters& counters = *m_.counters;
    const int next = (list + 1) % 3;
    const auto thread = static_cast<std::int32_t>(threadIdx.x);
    std::int32_t thin_rounds = counters.thin_rounds;
    for (std::int32_t k = thread; k < items; k += match_threads) {
      storage_.queue[0][k] = m_.list[list][k];
    }
    if (thread < 3) storage_.queued[thread] = 0;
    __syncthreads();
    int from = 0;
    bool stopped = false;
    for (int step = 0; items > 0 && items <= 2 * narrow_items && !stopped; ++step) {
      ++round;
      if (items <= rules_.thin_items) ++thin_rounds;
      stopped = round > rules_.rounds || thin_rounds > rules_.thin_rounds;
      // Counted in the round before the last one: nobody reads it any more.
      if (thread == 0) storage_.queued[(step + 1) % 3] = 0;
      if (thread >= match_threads - warp_size) bound_distances(round - 1);
      BlockQueue queue = block_queue(storage_.queue[1 - from], storage_.queued[step % 3], next);
      const Relaxation<BlockQueue, true> relaxation(m_, queue, round, visit_of(round, 0, 0));
      for (std::int32_t k = thread / few_lanes; k < items; k += groups) {
        relaxation.relax(storage_.queue[from][k], WarpLanes<few_lanes>());
      }
      __syncthreads();
      items = storage_.queued[step % 3];
      from = 1 - from;
    }
    const std::int32_t kept = lesser(items, MatchStorage::queued_items);
    const std::int32_t overflow = items - kept;
    for (std::int32_t k = thread; k < kept; k += match_threads) {
      m_.list[next][overflow + k] = storage_.queue[from][k];
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
  __device__ void bound_distances(std::int32_t round) const {
    constexpr int buckets_a_lane = DistanceBuckets::count / warp_size;
    std::int32_t* const changes = m_.histogram + (round & 1) * DistanceBuckets::count;
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
    Units bound = current(m_.counters->bound);
#pragma unroll
    for (int k = 0; k < buckets_a_lane; ++k) {
      const bool before = within < wanted_;
      within += own[k];
      if (before && within >= wanted_) {
        bound = lesser(bound, DistanceBuckets::last(lane * buckets_a_lane + k));
      }
    }
    bound = WarpLanes<warp_size>().least(bound);
    if (lane == 0) m_.counters->bound = bound;
  }

  Grid grid_;
  MatchStorage& storage_;
  const MatchArrays& m_;
  const MatchRules& rules_;
  Index wanted_;
};

}  // namespace lufact::gpu
