// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/scan.hpp"
#include "gpu/levelize/dependency_graph.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 256;

__device__ inline void atomic_increment(Offset* counter) {
  atomicAdd(reinterpret_cast<unsigned long long*>(counter), 1ull);
}

// Whether the entry (t, i) of L is an edge i -> t.
__device__ inline bool is_lower_edge(const GraphRef& graph, Index t, Index i) {
  if (graph.rule == DependencyRule::glu1) return false;
  if (graph.rule == DependencyRule::relaxed) return true;
  return graph.pattern.col_idx[graph.pattern.row_ptr[i + 1] - 1] > t;
}

// Row of this warp, or n.
__device__ inline Index own_row(Index n) {
  const Offset warp = (static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x) / warp_size;
  return warp < n ? static_cast<Index>(warp) : n;
}
__device__ inline int own_lane() {
  return static_cast<int>(threadIdx.x) % warp_size;
}

__global__ void count_lower(PatternRef pattern, const Offset* diagonal, Offset* counts) {
  const Index row = own_row(pattern.n);
  if (row == pattern.n) return;
  for (Offset p = pattern.row_ptr[row] + own_lane(); p < diagonal[row]; p += warp_size) {
    atomic_increment(&counts[pattern.col_idx[p]]);
  }
}

// lower_end starts as a copy of the column's begin and advances with each edge stored.
__global__ void scatter_lower_edges(GraphRef graph, Offset* lower_end, Index* lower_rows) {
  const PatternRef& pattern = graph.pattern;
  const Index row = own_row(pattern.n);
  if (row == pattern.n) return;
  for (Offset p = pattern.row_ptr[row] + own_lane(); p < graph.diagonal[row]; p += warp_size) {
    const Index column = pattern.col_idx[p];
    if (!is_lower_edge(graph, row, column)) continue;
    const auto place = atomicAdd(reinterpret_cast<unsigned long long*>(&lower_end[column]), 1ull);
    lower_rows[place] = row;
  }
}

__global__ void count_edges(GraphRef graph, Index* unmet) {
  const PatternRef& pattern = graph.pattern;
  const Index row = own_row(pattern.n);
  if (row == pattern.n) return;
  const Offset diagonal = graph.diagonal[row];
  Index lower_edges = 0;
  for (Offset p = pattern.row_ptr[row] + own_lane(); p < diagonal; p += warp_size) {
    if (is_lower_edge(graph, row, pattern.col_idx[p])) ++lower_edges;
  }
  if (lower_edges > 0) atomicAdd(&unmet[row], lower_edges);
  if (graph.lower_begin[row + 1] == graph.lower_begin[row]) return;
  const Offset end = pattern.row_ptr[row + 1];
  for (Offset p = diagonal + 1 + own_lane(); p < end; p += warp_size) {
    atomicAdd(&unmet[pattern.col_idx[p]], 1);
  }
}

}  // namespace

DependencyGraph::DependencyGraph(DeviceSession& session, const DeviceColumnPattern& pattern,
                                 DependencyRule rule) {
  const Offset n = pattern.n;
  const LaunchShape rows_as_warps{ceil_div(n * warp_size, block_threads), block_threads};
  lower_begin_ = Buffer<Offset>(session, MemoryRole::scratch, n + 1, "the columns of L");
  lower_begin_.fill_bytes(0);
  launch(session, rows_as_warps, count_lower, pattern.pattern(), pattern.diagonal.data(),
         lower_begin_.data());
  exclusive_scan_in_place(session, lower_begin_.data(), n + 1);
  unmet_ = Buffer<Index>(session, MemoryRole::scratch, n, "unmet dependencies");
  unmet_.fill_bytes(0);
  lower_end_ = Buffer<Offset>(session, MemoryRole::scratch, n, "the ends of the columns of L");
  if (n > 0) {
    LUFACT_CUDA(cudaMemcpyAsync(lower_end_.data(), lower_begin_.data(), lower_end_.bytes(),
                                cudaMemcpyDeviceToDevice, session.stream()));
  }
  view_ = {pattern.pattern(),   pattern.diagonal.data(), rule,
           lower_begin_.data(), lower_end_.data(),       nullptr};
  if (rule != DependencyRule::glu1) {
    const Offset entries = read_value(session, lower_begin_.data() + n);
    lower_rows_ = Buffer<Index>(session, MemoryRole::scratch, entries, "the rows of L by columns");
    launch(session, rows_as_warps, scatter_lower_edges, view_, lower_end_.data(),
           lower_rows_.data());
    view_.lower_rows = lower_rows_.data();
  }
  launch(session, rows_as_warps, count_edges, view_, unmet_.data());
}

}  // namespace lufact::gpu
