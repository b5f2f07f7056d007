// SPDX-License-Identifier: BSD-3-Clause
#include <cuda/atomic>
#include <limits>

#include "gpu/components/thread_group.cuh"
#include "gpu/matrix/pattern_entries.cuh"
#include "gpu/runtime/launch.cuh"
#include "gpu/symbolic/fill2/fill2_forest.hpp"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr Index no_parent = std::numeric_limits<Index>::max();
// Rows from this length on are searched for the vertices of a walk, which shortens long walks.
constexpr Offset long_row = 16;

__device__ bool is_symmetric_entry(const PatternRef& matrix, Index row, Index column) {
  return has_entry(matrix, row, column) && has_entry(matrix, column, row);
}

// Adds the edge low - high to the forest, low < high. The forest is kept such that the vertices up
// to any label t are connected in it as the edges added so far connect them: an edge that meets a
// smaller parent p goes on as p - high, an edge that displaces a larger parent p as high - p. All
// threads work at once: a parent only ever becomes smaller, and one that was read before it did
// still stands for a connection.
__device__ void add_edge(const PatternRef& matrix, Index* parent, Index low, Index high) {
  for (;;) {
    cuda::atomic_ref<Index, cuda::thread_scope_device> place(parent[low]);
    Index p = place.load(cuda::memory_order_relaxed);
    if (p > high) p = place.fetch_min(high, cuda::memory_order_relaxed);
    if (p == high || p == no_parent) return;
    if (p > high) {
      low = high;
      high = p;
      continue;
    }
    // The edge p - high is one of the matrix, and so the work of another thread.
    const bool is_long = matrix.row_ptr[high + 1] - matrix.row_ptr[high] >= long_row;
    if (is_long && is_symmetric_entry(matrix, high, p)) return;
    low = p;
  }
}

// One thread an entry.
__global__ void __launch_bounds__(threads)
    add_entries(PatternRef matrix, Offset nnz, Index* parent, Offset* one_sided) {
  const Offset entry = static_cast<Offset>(blockIdx.x) * threads + threadIdx.x;
  bool unmatched = false;
  if (entry < nnz) {
    const Index row = row_of_entry(matrix, entry), column = matrix.col_idx[entry];
    const bool matched = row == column || has_entry(matrix, column, row);
    if (matched && column < row) add_edge(matrix, parent, column, row);
    unmatched = !matched;
  }
  const int in_block = __syncthreads_count(unmatched);
  if (threadIdx.x == 0 && in_block > 0) {
    cuda::atomic_ref<Offset, cuda::thread_scope_device>(*one_sided)
        .fetch_add(in_block, cuda::memory_order_relaxed);
  }
}

// One thread a vertex, one warp the vertices of a word.
__global__ void finish_forest(Index n, Index* parent, ForestStep* steps) {
  const Offset v = static_cast<Offset>(blockIdx.x) * threads + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const Index p = v < n && parent[v] != no_parent ? parent[v] : -1;
  const unsigned linked = __ballot_sync(full_warp, p == v + 1);
  const unsigned ends = ~linked & (~0u << lane);  // vertices from v on whose parent is not the next
  const int last = ends == 0 ? warp_size - 1 : __ffs(ends) - 1;
  const Index next = __shfl_sync(full_warp, p, last);
  if (v >= n) return;
  parent[v] = p;
  steps[v] = {static_cast<Index>(v) - lane + last, next};
}

__global__ void clear_parents(Index n, Index* parent) {
  const Offset v = static_cast<Offset>(blockIdx.x) * threads + threadIdx.x;
  if (v < n) parent[v] = no_parent;
}

}  // namespace

SymmetricForest build_symmetric_forest(DeviceSession& session, const PatternRef& matrix,
                                       Offset nnz) {
  SymmetricForest forest;
  const Index n = matrix.n;
  forest.parent = {session, MemoryRole::scratch, n, "the elimination forest"};
  forest.steps = {session, MemoryRole::scratch, n, "steps in the forest"};
  Buffer<Offset> one_sided(session, MemoryRole::scratch, 1, "the count of one-sided entries");
  one_sided.fill_bytes(0);
  const LaunchShape per_vertex{ceil_div(n, threads), threads};
  launch(session, per_vertex, clear_parents, n, forest.parent.data());
  launch(session, {ceil_div(nnz, threads), threads}, add_entries, matrix, nnz, forest.parent.data(),
         one_sided.data());
  launch(session, per_vertex, finish_forest, n, forest.parent.data(), forest.steps.data());
  forest.one_sided = read_value(session, one_sided.data());
  return forest;
}

}  // namespace lufact::gpu
