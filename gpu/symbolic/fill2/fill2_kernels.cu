// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cuda/atomic>
#include <limits>

#include "gpu/runtime/launch.cuh"
#include "gpu/symbolic/fill2/fill2_kernels.hpp"
#include "gpu/symbolic/fill2/fill2_search.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

// The work arrays as kernels see them: a block is one warp and has one slot.
struct SlotsRef {
  unsigned* marks = nullptr;  // null: in shared memory
  Index* turns = nullptr;
  Index n = 0, set_words = 0, mark_words = 0;
};

__device__ Offset add_to(Offset& value, Offset addend) {
  return cuda::atomic_ref<Offset, cuda::thread_scope_device>(value).fetch_add(
      addend, cuda::memory_order_relaxed);
}

// The marks of this block's slot, cleared.
template <bool kCrossing>
__device__ RowMarks own_marks(const SlotsRef& slots) {
  extern __shared__ unsigned shared_marks[];
  unsigned* words = slots.marks == nullptr
                        ? shared_marks
                        : slots.marks + static_cast<Offset>(blockIdx.x) * slots.mark_words;
  for (Index w = static_cast<Index>(threadIdx.x); w < slots.mark_words; w += warp_size) {
    words[w] = 0;
  }
  __syncwarp();
  RowMarks marks;
  marks.words = slots.set_words;
  marks.entries = words;
  if constexpr (kCrossing) {
    marks.passed = words + slots.set_words;
    marks.pending = words + 2 * slots.set_words;
  }
  marks.summary = words + slots.mark_words - slots.set_words / word_bits;
  return marks;
}

// A turn for each row and direction, and one beyond the last for each warp that runs, of which a
// card has fewer than a million: the counter never comes round.
static_assert(Offset{most_fill2_rows} * Fill2Graph::most_directions + (1 << 20) <
              Offset{std::numeric_limits<unsigned>::max()});

// The next turn of this warp, or -1 after the last one.
__device__ Offset next_turn(Index* turns, Offset count) {
  unsigned turn = 0;
  if (threadIdx.x == 0) turn = atomicAdd(reinterpret_cast<unsigned*>(turns), 1u);
  turn = __shfl_sync(full_warp, turn, 0);
  return turn < count ? static_cast<Offset>(turn) : -1;
}

// Room for `count` entries, or -1. Every thread gets the same answer.
__device__ Offset take_room(const KeptRows& kept, Index count) {
  Offset begin = 0;
  if (threadIdx.x == 0) begin = add_to(*kept.used, count);
  begin = __shfl_sync(full_warp, begin, 0);
  return begin + count <= kept.capacity ? begin : -1;
}

template <bool kCrossing>
__device__ void search_row(const Fill2Graph& graph, const Fill2Direction& direction,
                           const RowMarks& marks, Fill2Shared& shared, Index src) {
  Fill2Search search(graph.forest, direction.crossing, marks, shared, src);
  search.run<kCrossing>(direction.rows.col_idx + direction.rows.row_ptr[src],
                        direction.rows.col_idx + direction.rows.row_ptr[src + 1]);
}

__device__ void count_row(const Fill2Direction& direction, const RowMarks& marks, Index src,
                          Index* copy, Offset* counts) {
  const Index count = marks.drain([&](Index k, Index v) {
    if (direction.upper) add_to(counts[v], 1);
    if (copy != nullptr) copy[k] = v;
  });
  if (direction.lower && count > 0 && threadIdx.x == 0) add_to(counts[src], count);
}

// Turns go through the rows from the last one, which tends to take longest, in all directions.
template <bool kCrossing>
__global__ void __launch_bounds__(warp_size)
    count_rows(const __grid_constant__ Fill2Graph graph, SlotsRef slots, KeptRows kept,
               Offset* counts) {
  __shared__ Fill2Shared shared;
  const RowMarks marks = own_marks<kCrossing>(slots);
  const Offset turns = static_cast<Offset>(slots.n) * graph.count;
  for (Offset turn = next_turn(slots.turns, turns); turn >= 0;
       turn = next_turn(slots.turns, turns)) {
    const Offset k = turns - 1 - turn;
    const Index src = static_cast<Index>(k / graph.count);
    const Fill2Direction& direction = graph.directions[k % graph.count];
    search_row<kCrossing>(graph, direction, marks, shared, src);
    Index* copy = nullptr;
    if (kCrossing && kept.capacity > 0) {
      const Index count = marks.count_entries();
      const Offset begin = take_room(kept, count);
      if (begin >= 0) copy = kept.entries + begin;
      if (threadIdx.x == 0) {
        kept.begins[k] = begin;
        kept.lengths[k] = count;
      }
    }
    count_row(direction, marks, src, copy, counts);
  }
}

__device__ void place_entry(const Fill2Direction& direction, const Fill2Target& target, Index src,
                            Index k, Index v) {
  if (direction.lower) target.col_idx[target.row_ptr[src] + k] = v;
  if (direction.upper) target.col_idx[add_to(target.upper_begin[v], -1) - 1] = src;
}

// Places a kept row, several entries a thread at once, to overlap the atomics at upper_begin.
__device__ void place_kept(const Fill2Direction& direction, const Fill2Target& target, Index src,
                           const Index* entries, Index length) {
  constexpr int at_once = 4;
  for (Index first = static_cast<Index>(threadIdx.x); first < length;
       first += at_once * warp_size) {
    Index v[at_once];
    Offset place[at_once];
    for (int k = 0; k < at_once; ++k) {
      const Index p = first + k * warp_size;
      v[k] = p < length ? entries[p] : -1;
    }
    for (int k = 0; k < at_once; ++k) {
      if (v[k] >= 0 && direction.upper) place[k] = add_to(target.upper_begin[v[k]], -1) - 1;
    }
    for (int k = 0; k < at_once; ++k) {
      if (v[k] < 0) continue;
      if (direction.upper) target.col_idx[place[k]] = src;
      if (direction.lower) target.col_idx[target.row_ptr[src] + first + k * warp_size] = v[k];
    }
  }
}

template <bool kCrossing>
__global__ void __launch_bounds__(warp_size)
    place_rows(const __grid_constant__ Fill2Graph graph, SlotsRef slots, KeptRows kept,
               Fill2Target target) {
  __shared__ Fill2Shared shared;
  const RowMarks marks = own_marks<kCrossing>(slots);
  const Offset turns = static_cast<Offset>(slots.n) * graph.count;
  for (Offset turn = next_turn(slots.turns, turns); turn >= 0;
       turn = next_turn(slots.turns, turns)) {
    const Offset k = turns - 1 - turn;
    const Index src = static_cast<Index>(k / graph.count);
    const Fill2Direction& direction = graph.directions[k % graph.count];
    const Offset begin = kCrossing && kept.capacity > 0 ? kept.begins[k] : -1;
    if (begin >= 0) {
      place_kept(direction, target, src, kept.entries + begin, kept.lengths[k]);
    } else {
      search_row<kCrossing>(graph, direction, marks, shared, src);
      marks.drain([&](Index p, Index v) { place_entry(direction, target, src, p, v); });
    }
  }
}

__global__ void __launch_bounds__(warp_size) order_upper(SlotsRef slots, Fill2Target target) {
  const RowMarks marks = own_marks<false>(slots);
  for (Offset turn = next_turn(slots.turns, slots.n); turn >= 0;
       turn = next_turn(slots.turns, slots.n)) {
    const Index row = slots.n - 1 - static_cast<Index>(turn);
    const Offset begin = target.upper_begin[row], end = target.row_ptr[row + 1];
    for (Offset p = begin + threadIdx.x; p < end; p += warp_size) {
      const Index column = target.col_idx[p];
      marks.set(marks.entries, column / word_bits, bit_of(column));
    }
    __syncwarp();
    marks.drain([&](Index k, Index column) { target.col_idx[begin + k] = column; });
    if (threadIdx.x == 0) {
      target.col_idx[begin - 1] = row;
      target.upper_begin[row] = begin - 1;
    }
  }
}

__global__ void start_counts(Index n, Offset* counts) {
  const Offset i = static_cast<Offset>(blockIdx.x) * threads + threadIdx.x;
  if (i <= n) counts[i] = i < n ? 1 : 0;
}

__global__ void start_places(Index n, Fill2Target target) {
  const Offset i = static_cast<Offset>(blockIdx.x) * threads + threadIdx.x;
  if (i < n) target.upper_begin[i] = target.row_ptr[i + 1];
}

std::size_t shared_bytes(const Fill2RowNeeds& needs) {
  return shares_marks(needs) ? needs.mark_bytes() : 0;
}

// More shared memory than every kernel may have is granted on demand.
template <class Kernel>
Kernel with_shared_bytes(Kernel kernel, std::size_t bytes) {
  LUFACT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(bytes)));
  return kernel;
}

template <class Kernel, class... Arguments>
void launch_slots(DeviceSession& session, Fill2Workspace& workspace, Kernel kernel,
                  const Arguments&... arguments) {
  const std::size_t bytes = shared_bytes(workspace.needs());
  launch(session, {workspace.slots().count, warp_size, bytes}, with_shared_bytes(kernel, bytes),
         arguments...);
}

SlotsRef ref_of(Fill2Workspace& workspace) {
  const Fill2RowNeeds& needs = workspace.needs();
  return {workspace.marks(), workspace.start_turns(), needs.n, needs.set_words(),
          needs.mark_words()};
}

}  // namespace

Fill2Workspace::Fill2Workspace(DeviceSession& session, const Fill2RowNeeds& needs,
                               const Fill2Slots& slots)
    : needs_(needs), slots_(slots) {
  if (!slots.shared_marks) {
    marks_ = {session, MemoryRole::scratch, static_cast<Offset>(slots.count) * needs.mark_words(),
              "the marks of the search"};
  }
  turns_ = {session, MemoryRole::scratch, 1, "the turns of the search"};
}

Index* Fill2Workspace::start_turns() {
  turns_.fill_bytes(0);
  return turns_.data();
}

void launch_fill2_count(DeviceSession& session, const Fill2Graph& graph, Fill2Workspace& workspace,
                        const KeptRows& kept, Offset* counts) {
  launch_slots(session, workspace, graph.count > 1 ? count_rows<true> : count_rows<false>, graph,
               ref_of(workspace), kept, counts);
}

void launch_fill2_place(DeviceSession& session, const Fill2Graph& graph, Fill2Workspace& workspace,
                        const KeptRows& kept, const Fill2Target& target) {
  launch_slots(session, workspace, graph.count > 1 ? place_rows<true> : place_rows<false>, graph,
               ref_of(workspace), kept, target);
}

void launch_start_counts(DeviceSession& session, Index n, Offset* counts) {
  launch(session, {ceil_div(n + Offset{1}, threads), threads}, start_counts, n, counts);
}

void launch_start_places(DeviceSession& session, Index n, const Fill2Target& target) {
  launch(session, {ceil_div(n, threads), threads}, start_places, n, target);
}

void launch_order_upper(DeviceSession& session, Fill2Workspace& workspace,
                        const Fill2Target& target) {
  launch_slots(session, workspace, order_upper, ref_of(workspace), target);
}

Index resident_fill2_rows(const DeviceSession& session, const Fill2RowNeeds& needs) {
  const std::size_t bytes = shared_bytes(needs);
  int per_multiprocessor = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &per_multiprocessor, with_shared_bytes(count_rows<true>, bytes), warp_size, bytes));
  return std::max(per_multiprocessor, 1) * session.sm_count();
}

}  // namespace lufact::gpu
