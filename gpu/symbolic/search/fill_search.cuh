// SPDX-License-Identifier: BSD-3-Clause
// The fill2 search of one source row by one group of threads: E2E Algorithm 1 (after Rose and
// Tarjan 1978), with the fill entries of the row told from the vertices that were only passed.
#pragma once
#include <cuda/atomic>

#include "gpu/components/tag_scan.cuh"
#include "gpu/components/thread_group.cuh"
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// The work arrays of one row in flight.
struct RowScratch {
  Index* tags = nullptr;   // tag_stride(n) of them; below 2 key when run() begins
  Index* queue = nullptr;  // `capacity` entries
  Index capacity = 0;      // frontier vertices of one threshold, the threshold itself included
};

// In shared memory, one for each group.
template <int kThreads>
struct FillSearchStorage {
  GroupStorage<kThreads> group;
  Offset edge_end[kThreads];    // of the frontier vertices of a batch: prefix sum of their degrees
  Offset edge_shift[kThreads];  // edge e of the batch is entry e + shift of the matrix
  Index queued;                 // vertices passed, over all thresholds
  Index filled;                 // entries of the row of L + U found
  Index lower;                  // those left of the diagonal, each a threshold in its turn
};

// A vertex is tagged at most once in the search of src: 2 key + 1 if it is an entry of the row of
// L + U, 2 key if it was passed on the way. Tags of smaller keys count as none, so that a work
// array serves rows whose keys ascend without being cleared. n < 2^30, 0 <= key < n.
template <int kThreads>
class FillSearch {
 public:
  __device__ FillSearch(const PatternRef& matrix, Index src, Index key, const RowScratch& scratch,
                        FillSearchStorage<kThreads>& storage)
      : group_(storage.group),
        storage_(storage),
        matrix_(matrix),
        scratch_(scratch),
        src_(src),
        key_(key) {}

  // Line 1 of Algorithm 1, for tags that do not come from smaller keys. Every thread of the
  // group must call it before run(), whose first barrier makes the tags visible.
  __device__ void clear_tags() {
    for (Index at = tags_per_load * group_.rank(); at < matrix_.n; at += tags_per_load * kThreads) {
      *reinterpret_cast<int4*>(scratch_.tags + at) = make_int4(-1, -1, -1, -1);
    }
  }

  // By every thread of the group. Every thread calls on_lower(k, t) for the k-th entry t left of
  // the diagonal, in ascending order. False where the queue overflowed: the search is then
  // incomplete and must be run again with a larger queue.
  template <class OnLower>
  __device__ bool run(OnLower on_lower) {
    mark_row();
    Index threshold = -1;
    for (Index done = 0; done < storage_.lower; ++done) {
      threshold = find_first_tagged(group_, scratch_.tags, fill_tag(), threshold + 1, src_);
      on_lower(done, threshold);
      if (!expand(threshold)) return false;
    }
    return true;
  }

  // After run(): writes the diagonal and the entries right of it, ascending, `count` in all.
  __device__ void emit_upper(Index count, Index* out) const {
    emit_tagged(group_, scratch_.tags, fill_tag(), src_, matrix_.n, count, out);
  }

  __device__ bool is_leader() const { return group_.rank() == 0; }
  __device__ Index filled() const { return storage_.filled; }
  __device__ Index lower() const { return storage_.lower; }
  // The largest number of frontier vertices of one threshold, the queue that the row needs.
  __device__ Index max_frontier() const { return max_frontier_; }

 private:
  __device__ Index passed_tag() const { return 2 * key_; }
  __device__ Index fill_tag() const { return 2 * key_ + 1; }

  // Lines 2 to 10 of Algorithm 1. The row of the matrix has its diagonal entry.
  __device__ void mark_row() {
    if (is_leader()) storage_.queued = storage_.filled = storage_.lower = 0;
    group_.sync();
    Index filled = 0, lower = 0;
    const Offset end = matrix_.row_ptr[src_ + 1];
    for (Offset p = matrix_.row_ptr[src_] + group_.rank(); p < end; p += kThreads) {
      const Index v = matrix_.col_idx[p];
      scratch_.tags[v] = fill_tag();
      ++filled;
      if (v < src_) ++lower;
    }
    if (filled > 0) atomicAdd(&storage_.filled, filled);
    if (lower > 0) atomicAdd(&storage_.lower, lower);
    group_.sync();
  }

  // Lines 12 to 26: finds everything reached from the threshold through vertices below it. One
  // queue suffices, as each batch takes from its front what earlier batches appended. The threshold
  // itself counts as the queue's first entry and is not stored.
  __device__ bool expand(Index threshold) {
    visit_row(threshold, threshold);
    group_.sync();
    Index head = 0, tail = storage_.queued - queue_base_;
    while (head < tail && tail < scratch_.capacity) {
      const Index count = min(kThreads, tail - head);
      if (count == 1) {
        group_.sync();  // all have read the counters
        visit_row(threshold, scratch_.queue[head]);
      } else {
        visit(threshold, load_batch(head, count),
              [&](Offset edge) { return matrix_.col_idx[batch_entry(edge, count)]; });
      }
      group_.sync();
      head += count;
      tail = storage_.queued - queue_base_;
    }
    queue_base_ += tail;
    max_frontier_ = max(max_frontier_, tail + 1);
    return tail < scratch_.capacity;
  }

  // Visits the neighbours of one vertex: of the threshold, or of a vertex along a path, whose
  // length bounds the time of the search.
  __device__ void visit_row(Index threshold, Index vertex) {
    const Offset begin = matrix_.row_ptr[vertex];
    visit(threshold, matrix_.row_ptr[vertex + 1] - begin,
          [&](Offset edge) { return matrix_.col_idx[begin + edge]; });
  }

  // Lays the edges of `count` <= kThreads frontier vertices end to end; returns how many there are.
  __device__ Offset load_batch(Index head, Index count) {
    Offset begin = 0, degree = 0;
    if (group_.rank() < count) {
      const Index v = scratch_.queue[head + group_.rank()];
      begin = matrix_.row_ptr[v];
      degree = matrix_.row_ptr[v + 1] - begin;
    }
    const GroupScan<Offset> edges = group_.scan(degree);
    storage_.edge_end[group_.rank()] = edges.before + degree;
    storage_.edge_shift[group_.rank()] = begin - edges.before;
    group_.sync();
    return edges.total;
  }

  // Position in the matrix of an edge of the batch: binary search for the vertex it leaves from.
  __device__ Offset batch_entry(Offset edge, Index count) const {
    Index low = 0, high = count - 1;
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (storage_.edge_end[middle] > edge) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return edge + storage_.edge_shift[low];
  }

  template <class ColumnOf>
  __device__ void visit(Index threshold, Offset edges, ColumnOf column_of) {
    const int lane = group_.lane();
    for (Offset first = group_.rank() - lane; first < edges; first += kThreads) {
      tag(threshold, first + lane < edges ? column_of(first + lane) : -1);
    }
  }

  // Lines 14 to 22 for one neighbour a thread (-1: none), called by whole warps. Within a threshold
  // every thread would give a vertex the same tag; the exchange tells which thread came first.
  __device__ void tag(Index threshold, Index neighbour) {
    bool fills = false, passes = false;
    if (neighbour >= 0) {
      cuda::atomic_ref<Index, cuda::thread_scope_block> current(scratch_.tags[neighbour]);
      if (current.load(cuda::memory_order_relaxed) < passed_tag()) {
        const bool beyond = neighbour > threshold;
        const Index wanted = beyond ? fill_tag() : passed_tag();
        const bool mine = current.exchange(wanted, cuda::memory_order_relaxed) < passed_tag();
        fills = mine && beyond;
        passes = mine && !beyond;
      }
    }
    count_fills(__ballot_sync(full_warp, fills),
                __ballot_sync(full_warp, fills && neighbour < src_));
    enqueue(__ballot_sync(full_warp, passes), passes, neighbour);
  }

  __device__ void count_fills(unsigned fills, unsigned lowers) {
    if (group_.lane() != 0 || fills == 0) return;
    atomicAdd(&storage_.filled, __popc(fills));
    if (lowers != 0) atomicAdd(&storage_.lower, __popc(lowers));
  }

  // Beyond the capacity entries are counted and not stored.
  __device__ void enqueue(unsigned passing, bool passes, Index vertex) {
    if (passing == 0) return;
    Index place = 0;
    if (group_.lane() == 0) place = atomicAdd(&storage_.queued, __popc(passing));
    place = __shfl_sync(full_warp, place, 0) - queue_base_ +
            __popc(passing & ((1u << group_.lane()) - 1));
    if (passes && place < scratch_.capacity) scratch_.queue[place] = vertex;
  }

  ThreadGroup<kThreads> group_;
  FillSearchStorage<kThreads>& storage_;
  PatternRef matrix_;
  RowScratch scratch_;
  Index src_, key_;
  Index queue_base_ = 0;  // vertices passed before this threshold
  Index max_frontier_ = 0;
};

}  // namespace lufact::gpu
