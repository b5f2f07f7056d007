// SPDX-License-Identifier: BSD-3-Clause
// The level-synchronous search of all sources of a batch (GSoFa sections 4 and 6) by the warps of a
// cooperative grid.
#pragma once
#include <cuda/atomic>

#include "gpu/components/thread_group.cuh"
#include "gpu/components/warp_sum.cuh"
#include "gpu/gsofa/gsofa_kernels.hpp"
#include "gpu/gsofa/gsofa_visit.hpp"

namespace lufact::gpu {

struct DeviceAtomics {
  using Word = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;
  static constexpr auto order = cuda::memory_order_relaxed;

  __device__ std::uint32_t load(std::uint32_t& word) const { return Word(word).load(order); }
  __device__ std::uint32_t fetch_min(std::uint32_t& word, std::uint32_t value) const {
    return Word(word).fetch_min(value, order);
  }
  __device__ std::uint32_t fetch_max(std::uint32_t& word, std::uint32_t value) const {
    return Word(word).fetch_max(value, order);
  }
  __device__ std::uint32_t fetch_or(std::uint32_t& word, std::uint32_t value) const {
    return Word(word).fetch_or(value, order);
  }
  __device__ std::uint32_t fetch_and(std::uint32_t& word, std::uint32_t value) const {
    return Word(word).fetch_and(value, order);
  }
};

__device__ inline MarkWord* slot_words(const GsofaTask& task, Index slot) {
  return task.fill_end - (Offset{slot} + 1) * task.division.fill_stride;
}
__device__ inline std::uint32_t* piece_counts(const GsofaTask& task, Index slot) {
  return slot_words(task, slot) + task.words.counts;
}
// Where in the array the maxId of vertex 0 is or would be.
__device__ inline Offset max_id_origin(const GsofaTask& task, Index slot, Index source) {
  if (task.reach == nullptr) return task.slots.max_id_begin(slot);
  return reach_origin(__ldg(task.reach), __ldg(task.reach + slot + 1), source);
}
// The smallest vertex that has a maxId.
__device__ inline Index lowest_vertex(const GsofaTask& task, Index slot, Index source) {
  if (task.reach == nullptr) return 0;
  return static_cast<Index>(source - (__ldg(task.reach + slot + 1) - __ldg(task.reach + slot)));
}
__device__ inline GsofaMarks marks_of(const GsofaTask& task, Index slot, Index source) {
  return {task.array + max_id_origin(task, slot, source), slot_words(task, slot), task.window,
          source};
}

// The places for the frontier vertices of one iteration: a queue, behind it pinned memory, behind
// that the put-off bits, which always have room and stand for the vertices below the source.
class FrontierPlaces {
 public:
  __device__ FrontierPlaces(const GsofaTask& task, int level) : task_(task), half_(level & 1) {}

  // Entries that both have places for.
  __device__ static Offset room(const GsofaTask& task) {
    return task.division.queue_capacity + task.spill.entries;
  }
  __device__ Index& vertex(Offset place) const {
    const Offset capacity = task_.division.queue_capacity;
    return place < capacity ? queue(half_)[place]
                            : task_.spill.vertices[half_ * task_.spill.entries + place - capacity];
  }
  __device__ Index& tracker(Offset place) const {
    const Offset capacity = task_.division.queue_capacity;
    return place < capacity ? queue(2 + half_)[place]
                            : task_.spill.trackers[half_ * task_.spill.entries + place - capacity];
  }
  __device__ void put(Offset place, Index new_vertex, Index slot) const {
    if (place < room(task_)) {
      vertex(place) = new_vertex;
      tracker(place) = slot;
    } else {
      MarkWord* const put_off = slot_words(task_, slot) + task_.words.put_off;
      DeviceAtomics().fetch_or(put_off[new_vertex / 32], 1u << (new_vertex % 32));
    }
  }

 private:
  __device__ Index* queue(int number) const {
    return reinterpret_cast<Index*>(task_.array + task_.division.queue_begin +
                                    number * task_.division.queue_capacity);
  }

  const GsofaTask& task_;
  int half_;
};

// Frontier vertices enqueued for an iteration. While it runs, those of the next one are counted and
// the third counter is cleared.
__device__ inline Offset* tail(const GsofaTask& task, int level) {
  return &task.control->tails[level % 3];
}

// A frontier vertex as its edges need it.
struct FrontierItem {
  Offset shift;   // edge e of the tile is entry e + shift of the matrix
  Offset max_id;  // max_id_origin
  Index cost, slot, source;
};

// Frontier vertices whose edges, at most n for each, are numbered in 31 bits with some to spare.
__device__ inline int most_items(Index n) {
  return min(warp_size, static_cast<int>(0x7fff0000 / n));
}

struct FrontierVertex {
  Index vertex = 0, slot = 0;
};

// A row for several warps of a block: a few rounds of the lanes for each.
struct LongRow {
  FrontierVertex of;
  int parts;
};

// In shared memory, one for each block: vertices whose rows are so long that one warp would keep
// the others waiting. The warps of the block share the parts of all.
class LongRows {
 public:
  static constexpr Index edges = 8 * warp_size;  // a long row has more

  __device__ void clear() { claimed_ = 0; }
  // False where the list is full.
  __device__ bool add(const FrontierVertex& vertex, Index degree) {
    const int place = atomicAdd(&claimed_, 1);
    if (place >= capacity) return false;
    rows_[place] = {vertex, min((degree + part_edges - 1) / part_edges, most_parts)};
    return true;
  }
  __device__ int count() const { return min(claimed_, capacity); }
  __device__ const LongRow& operator[](int k) const { return rows_[k]; }

 private:
  static constexpr Index part_edges = 4 * warp_size;
  static constexpr int capacity = 64, most_parts = 16;
  int claimed_;
  LongRow rows_[capacity];
};

// A warp's way through the parts of its block's long rows, every warp of which goes it: part after
// part of one row after the other, dealt to the warps in turn. No row is added from the first
// next() until the grid's next barrier.
class LongRowParts {
 public:
  __device__ explicit LongRowParts(LongRows& rows) : rows_(rows) {}

  __device__ bool next() {
    if (row_ < 0) {
      __syncthreads();  // all have added theirs
      row_ = 0;
      part_ = static_cast<int>(threadIdx.x) / warp_size;
    } else {
      part_ += static_cast<int>(blockDim.x) / warp_size;
    }
    const int count = rows_.count();
    while (row_ < count && part_ >= rows_[row_].parts) part_ -= rows_[row_++].parts;
    return row_ < count;
  }
  __device__ const LongRow& row() const { return rows_[row_]; }
  __device__ int part() const { return part_; }

  // Behind the last part.
  __device__ void close() {
    if (rows_.count() == 0) return;
    __syncthreads();  // all have read the list
    if (threadIdx.x == 0) rows_.clear();
  }

 private:
  LongRows& rows_;
  int row_ = -1, part_ = 0;
};

// In shared memory, one for each warp. Newly found frontier vertices gather there, so that a
// queue's counter is asked once for many of them.
struct WarpFrontier {
  static constexpr int gathered = 2 * warp_size;
  FrontierItem items[warp_size];
  Index vertices[gathered], trackers[gathered];
  Offset edges;    // looked at
  Offset at_once;  // vertices expanded that were in no queue
};

template <class Layout, bool profiled>
class WarpExpansion {
 public:
  __device__ WarpExpansion(const GsofaTask& task, WarpFrontier& storage, LongRows& long_rows)
      : task_(task), storage_(storage), long_rows_(long_rows) {
    if (lane() == 0) storage_.edges = storage_.at_once = 0;
  }

  // For the block instead of this warp: true for a vertex whose row is long, while the list lasts.
  __device__ bool leaves_to_block(Index vertex, Index slot, int parts) {
    bool left = false;
    if (parts == 1 && lane() == 0) {
      const Offset* const row = task_.matrix.row_ptr + vertex;
      const auto degree = static_cast<Index>(row[1] - row[0]);
      left = degree > LongRows::edges && long_rows_.add({vertex, slot}, degree);
    }
    return __shfl_sync(full_warp, left, 0);
  }

  // Lines 4 to 6: the entries of the matrix in the row of a source; part `part` of `parts`.
  __device__ void seed(Index slot, int part, int parts) {
    const Index source = task_.slots.row(slot);
    const GsofaMarks marks = marks_of(task_, slot, source);
    const Offset begin = task_.matrix.row_ptr[source], end = task_.matrix.row_ptr[source + 1];
    for (Offset first = begin + part * warp_size; first < end; first += parts * warp_size) {
      const Offset p = first + lane();
      Index vertex = 0;
      if (p < end) {
        vertex = task_.matrix.col_idx[p];
        Layout::mark_entry(atomics_, marks, vertex);
        count_fill(slot, vertex);
      }
      gather(p < end && vertex < source, vertex, slot, 0);
    }
  }

  // The lane's one of `count` frontier vertices of a queue from `first` on.
  __device__ FrontierVertex queued(int level, Offset first, int count) const {
    if (lane() >= count) return {};
    const FrontierPlaces places(task_, level);
    return {places.vertex(first + lane()), places.tracker(first + lane())};
  }

  // The lane's one of those that have gathered, which are no longer there then: fewer than
  // warp_size.
  __device__ FrontierVertex take_gathered() {
    FrontierVertex taken;
    if (lane() < gathered_) taken = {storage_.vertices[lane()], storage_.trackers[lane()]};
    if (lane() == 0) storage_.at_once += gathered_;
    gathered_ = 0;
    return taken;
  }

  // Lines 7 to 15 for `count` <= most_items(n) frontier vertices, a lane each; part `part` of
  // `parts` of their edges, fewer than 2^31 in all. `shares`: long rows are left to the block.
  __device__ void expand(int level, const FrontierVertex& own, int count, int part, int parts,
                         bool shares) {
    const Edges edges = load_item(level, own, count, part, shares);
    for (Index edge = part * warp_size; edge < edges.total; edge += parts * warp_size) {
      const FrontierItem& item = storage_.items[count == 1 ? 0 : item_of(edges, edge)];
      GsofaVisit visit;
      Index neighbour = 0;
      if (edge + lane() < edges.total) {
        neighbour = task_.matrix.col_idx[item.shift + edge + lane()];
        const GsofaMarks marks{task_.array + item.max_id, slot_words(task_, item.slot),
                               task_.window, item.source};
        visit = Layout::visit(atomics_, marks, item.cost, neighbour);
        if (visit.fills) count_fill(item.slot, neighbour);
        if (visit.again) ++again_;
      }
      gather(visit.enters, neighbour, item.slot, level + 1);
    }
    if (part == 0 && lane() == 0) storage_.edges += edges.total;
  }

  // Puts what has gathered to places of the next iteration, from `place` on.
  __device__ void put_gathered(int level, Offset place) {
    const FrontierPlaces places(task_, level);
    for (int k = lane(); k < gathered_; k += warp_size) {
      places.put(place + k, storage_.vertices[k], storage_.trackers[k]);
    }
    __syncwarp();
    gathered_ = 0;
  }
  __device__ int gathered() const { return gathered_; }
  __device__ bool has_gathered(int most) const { return gathered_ > 0 && gathered_ <= most; }

  __device__ void add_to(GsofaTally& tally) {
    add_from_warp(tally.edges, lane() == 0 ? storage_.edges : 0);
    add_from_warp(tally.at_once, lane() == 0 ? storage_.at_once : 0);
    add_from_warp(tally.enqueued_again, static_cast<Offset>(again_));
  }

 private:
  struct Edges {
    Index begin;  // of the lane's item, among those of the tile
    Index total;  // of the tile
    bool held;    // the lane has an item
  };

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_size; }

  // Items of the tile are those of its lanes that hold one, in their order.
  __device__ Edges load_item(int level, const FrontierVertex& own, int count, int part,
                             bool shares) {
    Index degree = 0;
    Offset row_begin = 0;
    bool held = lane() < count;
    FrontierItem item;
    __syncwarp();
    if (held) {
      row_begin = task_.matrix.row_ptr[own.vertex];
      degree = static_cast<Index>(task_.matrix.row_ptr[own.vertex + 1] - row_begin);
      const Index source = task_.slots.row(own.slot);
      const GsofaMarks marks = marks_of(task_, own.slot, source);
      item.max_id = max_id_origin(task_, own.slot, source);
      item.cost = handed_on(atomics_, marks, own.vertex);
      item.slot = own.slot;
      item.source = source;
      if (shares && degree > LongRows::edges && long_rows_.add(own, degree)) {
        held = false;
        degree = 0;
      } else if (profiled && part == 0) {
        add_to_profile(own.slot, level, degree);
      }
    }
    Index end = degree;
    for (int distance = 1; distance < count; distance *= 2) {
      const Index other = __shfl_up_sync(full_warp, end, distance);
      if (lane() >= distance) end += other;
    }
    const Index begin = end - degree;
    item.shift = row_begin - begin;
    const unsigned holding = __ballot_sync(full_warp, held);
    if (held) storage_.items[__popc(holding & ((1u << lane()) - 1))] = item;
    __syncwarp();
    return {begin, __shfl_sync(full_warp, end, count - 1), held};
  }

  // The item that edge + lane belongs to. Every item has an edge, its diagonal.
  __device__ int item_of(const Edges& own, Index edge) const {
    const int before = __popc(__ballot_sync(full_warp, own.held && own.begin <= edge));
    const bool begins = own.held && own.begin > edge && own.begin - edge < warp_size;
    const unsigned mark = begins ? 1u << (own.begin - edge) : 0u;
    const unsigned begun = __reduce_or_sync(full_warp, mark) & (0xffffffffu >> (31 - lane()));
    return before - 1 + __popc(begun);
  }

  __device__ void count_fill(Index slot, Index vertex) const {
    atomicAdd(piece_counts(task_, slot) + vertex / gsofa_piece, 1u);
  }

  __device__ void gather(bool enters, Index vertex, Index slot, int level) {
    const unsigned entering = __ballot_sync(full_warp, enters);
    if (entering == 0) return;
    if (enters) {
      const int place = gathered_ + __popc(entering & ((1u << lane()) - 1));
      storage_.vertices[place] = vertex;
      storage_.trackers[place] = slot;
    }
    gathered_ += __popc(entering);
    __syncwarp();
    if (gathered_ < warp_size) return;
    Offset place = 0;
    if (lane() == 0) {
      place = cuda::atomic_ref<Offset, cuda::thread_scope_device>(*tail(task_, level))
                  .fetch_add(gathered_, cuda::memory_order_relaxed);
    }
    put_gathered(level, __shfl_sync(full_warp, place, 0));
  }

  __device__ void add_to_profile(Index slot, int level, Offset degree) const {
    using Counter = cuda::atomic_ref<Offset, cuda::thread_scope_device>;
    GsofaSourceTally& tally = task_.sources[slot];
    Counter(tally.edges).fetch_add(degree, cuda::memory_order_relaxed);
    Counter(tally.expanded).fetch_add(1, cuda::memory_order_relaxed);
    Counter(tally.iterations).fetch_max(level + 1, cuda::memory_order_relaxed);
  }

  const GsofaTask& task_;
  WarpFrontier& storage_;
  LongRows& long_rows_;
  DeviceAtomics atomics_;
  int gathered_ = 0;
  unsigned again_ = 0;  // of this lane; a batch ends long before
};

}  // namespace lufact::gpu
