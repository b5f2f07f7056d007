// SPDX-License-Identifier: BSD-3-Clause
#include <cuda/atomic>

#include "gpu/components/scan.hpp"
#include "gpu/levelize/pruned_graph.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 256;
constexpr unsigned full_warp = 0xffffffffU;

struct RowsRef {
  PatternRef pattern;
  const Offset* diagonal = nullptr;
  DependencyRule rule = DependencyRule::relaxed;

  __device__ Offset row_end(Index row) const { return pattern.row_ptr[row + 1]; }
};

// Bounds of the edges out of each column that are kept.
struct BoundsRef {
  Index* first_pair = nullptr;  // p of column i, n where there is none
  Index* lower_end = nullptr;   // L edges i -> t are kept for t < lower_end[i]
  Index* has_lower = nullptr;   // 1 where column i of L is not empty
};

// Row of this warp, or n.
__device__ inline Index own_row(Index n) {
  const Offset warp = (static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x) / warp_size;
  return warp < n ? static_cast<Index>(warp) : n;
}
__device__ inline int own_lane() {
  return static_cast<int>(threadIdx.x) % warp_size;
}

// Whether L(row, column) is an entry.
__device__ inline bool has_lower_entry(const RowsRef& rows, Index row, Index column) {
  Offset low = rows.pattern.row_ptr[row], high = rows.diagonal[row];
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    if (rows.pattern.col_idx[middle] < column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < rows.diagonal[row] && rows.pattern.col_idx[low] == column;
}

// The first p with U(i,p) and L(p,i), or n; the whole warp calls it.
__device__ inline Index find_first_pair(const RowsRef& rows, Index i) {
  const Offset end = rows.row_end(i);
  for (Offset q = rows.diagonal[i] + 1; q < end; q += warp_size) {
    const Offset own = q + own_lane();
    const Index column = own < end ? rows.pattern.col_idx[own] : 0;
    const unsigned found = __ballot_sync(full_warp, own < end && has_lower_entry(rows, column, i));
    if (found != 0) return __shfl_sync(full_warp, column, __ffs(static_cast<int>(found)) - 1);
  }
  return rows.pattern.n;
}

__device__ inline Index find_lower_end(const RowsRef& rows, Index i, Index first_pair) {
  if (rows.rule == DependencyRule::glu1) return 0;
  if (rows.rule == DependencyRule::relaxed) return first_pair;
  const Index last_column = rows.pattern.col_idx[rows.row_end(i) - 1];
  return last_column < first_pair ? last_column : first_pair;
}

// A warp per row. Warps may mark the same column; all of them write 1.
__global__ void find_bounds(RowsRef rows, BoundsRef bounds) {
  const Index row = own_row(rows.pattern.n);
  if (row == rows.pattern.n) return;
  for (Offset p = rows.pattern.row_ptr[row] + own_lane(); p < rows.diagonal[row]; p += warp_size) {
    cuda::atomic_ref<Index, cuda::thread_scope_device>(bounds.has_lower[rows.pattern.col_idx[p]])
        .store(1, cuda::memory_order_relaxed);
  }
  __syncwarp();
  const Index first_pair = find_first_pair(rows, row);
  if (own_lane() != 0) return;
  bounds.first_pair[row] = first_pair;
  bounds.lower_end[row] = find_lower_end(rows, row, first_pair);
}

// U edges i -> k are kept for k <= this.
__device__ inline Index last_upper_target(const BoundsRef& bounds, Index i, Index n) {
  if (bounds.has_lower[i] == 0) return 0;
  const Index pair = bounds.first_pair[i];
  return pair < n && bounds.has_lower[pair] != 0 ? pair : n;
}

// Calls visit(k) for the kept U edges row -> k, the lanes of the warp in turn.
template <class Visit>
__device__ void visit_upper_edges(const RowsRef& rows, const BoundsRef& bounds, Index row,
                                  const Visit& visit) {
  const Index last = last_upper_target(bounds, row, rows.pattern.n);
  const Offset end = rows.row_end(row);
  for (Offset q = rows.diagonal[row] + 1 + own_lane(); q < end; q += warp_size) {
    const Index column = rows.pattern.col_idx[q];
    if (column > last) return;
    visit(column);
  }
}

// Calls visit(i) for the kept L edges i -> row, the lanes of the warp in turn.
template <class Visit>
__device__ void visit_lower_edges(const RowsRef& rows, const BoundsRef& bounds, Index row,
                                  const Visit& visit) {
  if (rows.rule == DependencyRule::glu1) return;
  for (Offset p = rows.pattern.row_ptr[row] + own_lane(); p < rows.diagonal[row]; p += warp_size) {
    const Index column = rows.pattern.col_idx[p];
    if (row < bounds.lower_end[column]) visit(column);
  }
}

// The value of the counter before one more was added.
__device__ inline Offset take_place(Offset* counter) {
  return static_cast<Offset>(atomicAdd(reinterpret_cast<unsigned long long*>(counter), 1ULL));
}

__global__ void count_edges(RowsRef rows, BoundsRef bounds, Offset* counts) {
  const Index row = own_row(rows.pattern.n);
  if (row == rows.pattern.n) return;
  visit_upper_edges(rows, bounds, row, [&](Index column) { take_place(&counts[column]); });
  visit_lower_edges(rows, bounds, row, [&](Index) { take_place(&counts[row]); });
}

// next[t] starts as where the edges of column t begin and advances with each one stored.
__global__ void store_edges(RowsRef rows, BoundsRef bounds, Offset* next, Index* before) {
  const Index row = own_row(rows.pattern.n);
  if (row == rows.pattern.n) return;
  visit_upper_edges(rows, bounds, row,
                    [&](Index column) { before[take_place(&next[column])] = row; });
  visit_lower_edges(rows, bounds, row,
                    [&](Index column) { before[take_place(&next[row])] = column; });
}

}  // namespace

PrunedGraph::PrunedGraph(DeviceSession& session, const DeviceColumnPattern& pattern,
                         DependencyRule rule)
    : n_(pattern.n) {
  const Offset n = pattern.n;
  const LaunchShape rows_as_warps{ceil_div(n * warp_size, block_threads), block_threads};
  Buffer<Index> bound_words(session, MemoryRole::scratch, 3 * n, "the bounds of the dependencies");
  bound_words.fill_bytes(0);
  const RowsRef rows{pattern.pattern(), pattern.diagonal.data(), rule};
  const BoundsRef bounds{bound_words.data(), bound_words.data() + n, bound_words.data() + 2 * n};
  launch(session, rows_as_warps, find_bounds, rows, bounds);

  begin_ = {session, MemoryRole::scratch, n + 1, "the offsets of the dependencies"};
  begin_.fill_bytes(0);
  launch(session, rows_as_warps, count_edges, rows, bounds, begin_.data());
  exclusive_scan_in_place(session, begin_.data(), n + 1);
  Buffer<Offset> next(session, MemoryRole::scratch, n, "the ends of the dependencies");
  LUFACT_CUDA(cudaMemcpyAsync(next.data(), begin_.data(), next.bytes(), cudaMemcpyDeviceToDevice,
                              session.stream()));
  const Offset edges = read_value(session, begin_.data() + n);
  before_ = {session, MemoryRole::scratch, edges, "the dependencies"};
  launch(session, rows_as_warps, store_edges, rows, bounds, next.data(), before_.data());
  session.synchronize();
}

}  // namespace lufact::gpu
