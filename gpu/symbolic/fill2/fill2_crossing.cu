// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <string>

#include "core/base/error.hpp"
#include "gpu/components/scan.hpp"
#include "gpu/components/thread_each.cuh"
#include "gpu/components/thread_group.cuh"
#include "gpu/matrix/pattern_entries.cuh"
#include "gpu/runtime/launch.cuh"
#include "gpu/symbolic/fill2/fill2_crossing.hpp"

namespace lufact::gpu {
namespace {

// Loops over a list by a warp may run past its end by less than a warp.
constexpr Offset most_crossing_edges = std::numeric_limits<Index>::max() - warp_size;

// Takes the next place of a list that ends at *end and grows downwards.
__device__ Offset take_place(Offset* end) {
  return static_cast<Offset>(atomicAdd(reinterpret_cast<unsigned long long*>(end), ~0ull)) - 1;
}

__device__ void count_one(Offset* counter) {
  atomicAdd(reinterpret_cast<unsigned long long*>(counter), 1ull);
}

struct IntervalRef {
  const Index* first;
  const Index* size;

  __device__ Index position(Index v) const { return first[v] + size[v] - 1; }
  __device__ bool contains(Index ancestor, Index v) const {
    const Index behind = position(v) - first[ancestor];
    return behind >= 0 && behind < size[ancestor];
  }
  __device__ bool related(Index v, Index w) const { return contains(max(v, w), min(v, w)); }
};

// An edge of the searched graph, and whether it is a crossing edge.
struct Edge {
  Index source = 0, target = 0;
  bool crosses = false;
};

__device__ Edge edge_of_entry(const PatternRef& matrix, const IntervalRef& intervals,
                              EdgeDirection direction, Offset entry) {
  const Index row = row_of_entry(matrix, entry), column = matrix.col_idx[entry];
  const bool crosses = !intervals.related(row, column) && !has_entry(matrix, column, row);
  return direction == EdgeDirection::row_to_column ? Edge{row, column, crosses}
                                                   : Edge{column, row, crosses};
}

// counts[p]: crossing edges of the vertex at place p of the postorder.
__global__ void count_crossings(PatternRef matrix, Offset nnz, IntervalRef intervals,
                                EdgeDirection direction, Offset* counts) {
  const Offset entry = own_thread();
  if (entry >= nnz) return;
  const Edge edge = edge_of_entry(matrix, intervals, direction, entry);
  if (edge.crosses) count_one(&counts[intervals.position(edge.source)]);
}

__global__ void write_targets(PatternRef matrix, Offset nnz, IntervalRef intervals,
                              EdgeDirection direction, Offset* ends, Index* targets) {
  const Offset entry = own_thread();
  if (entry >= nnz) return;
  const Edge edge = edge_of_entry(matrix, intervals, direction, entry);
  if (edge.crosses) targets[take_place(&ends[intervals.position(edge.source)])] = edge.target;
}

// Computes the slice of each subtree from the begins by place of the postorder. Counts the children
// that a vertex will list.
__global__ void write_slices(Index n, IntervalRef intervals, const Index* parent,
                             const Offset* starts, CrossingSlice* slices, unsigned* present,
                             Offset* child_counts) {
  const Offset v = own_thread();
  CrossingSlice slice;
  if (v < n) {
    const Index position = intervals.position(static_cast<Index>(v));
    slice.begin = static_cast<Index>(starts[intervals.first[v]]);
    slice.own = static_cast<Index>(starts[position]);
    slice.end = static_cast<Index>(starts[position + 1]);
    slices[v] = slice;
    if (slice.begin < slice.end && parent[v] >= 0) count_one(&child_counts[parent[v]]);
  }
  const unsigned word = __ballot_sync(full_warp, slice.begin < slice.end);
  if (v < n && v % warp_size == 0) present[v / warp_size] = word;
}

__global__ void write_child_starts(Index n, const Offset* starts, CrossingSlice* slices) {
  const Offset v = own_thread();
  if (v > n) return;
  const auto begin = static_cast<Index>(starts[v]);
  if (v < n) {
    slices[v].child_begin = begin;
  } else {
    slices[v] = {0, 0, 0, begin};  // of no vertex: where the children of the last one end
  }
}

// starts[v] of v >= 1 is where the children of v - 1 end.
__global__ void write_children(Index n, const Index* parent, const CrossingSlice* slices,
                               Offset* starts, Index* children) {
  const Offset v = own_thread();
  if (v >= n || parent[v] < 0 || slices[v].begin == slices[v].end) return;
  children[take_place(&starts[parent[v] + 1])] = static_cast<Index>(v);
}

// One thread an entry.
__global__ void count_columns(PatternRef matrix, Offset nnz, Offset* counts) {
  const Offset entry = own_thread();
  if (entry < nnz) count_one(&counts[matrix.col_idx[entry]]);
}

__global__ void write_columns(PatternRef matrix, Offset nnz, Offset* ends, Index* rows) {
  const Offset entry = own_thread();
  if (entry < nnz) rows[take_place(&ends[matrix.col_idx[entry]])] = row_of_entry(matrix, entry);
}

void write_slices_of_subtrees(DeviceSession& session, const SymmetricForest& forest,
                              const IntervalRef& intervals, const Offset* starts, Index n,
                              CrossingEdges& edges) {
  Buffer<Offset> child_starts(session, MemoryRole::scratch, n + Offset{1}, "lists of children");
  child_starts.fill_bytes(0);
  launch(session, thread_each(n), write_slices, n, intervals, forest.parent.data(), starts,
         edges.slices.data(), edges.present.data(), child_starts.data());
  exclusive_scan_in_place(session, child_starts.data(), child_starts.size());
  launch(session, thread_each(n + Offset{1}), write_child_starts, n, child_starts.data(),
         edges.slices.data());
  edges.children = {session, MemoryRole::scratch, n, "children with crossing edges"};
  launch(session, thread_each(n), write_children, n, forest.parent.data(), edges.slices.data(),
         child_starts.data(), edges.children.data());
}

}  // namespace

CrossingEdges build_crossing_edges(DeviceSession& session, const PatternRef& matrix, Offset nnz,
                                   const SymmetricForest& forest, const SubtreeIntervals& intervals,
                                   EdgeDirection direction) {
  const Index n = matrix.n;
  const IntervalRef places{intervals.first.data(), intervals.size.data()};
  Buffer<Offset> starts(session, MemoryRole::scratch, n + Offset{1}, "starts of crossing edges");
  starts.fill_bytes(0);
  launch(session, thread_each(nnz), count_crossings, matrix, nnz, places, direction, starts.data());
  exclusive_scan_in_place(session, starts.data(), starts.size());
  const Offset count = read_value(session, starts.data() + n);
  if (count > most_crossing_edges) {
    throw Error(Outcome::unsupported, "matrix_too_large",
                "gpu-fill2 takes at most " + std::to_string(most_crossing_edges) +
                    " entries that cross the elimination forest of the symmetric part, not " +
                    std::to_string(count) + "; use another symbolic stage");
  }
  CrossingEdges edges;
  edges.slices = {session, MemoryRole::scratch, n + Offset{1}, "crossing edges of subtrees"};
  edges.present = {session, MemoryRole::scratch, ceil_div(n, warp_size), "subtrees with edges"};
  write_slices_of_subtrees(session, forest, places, starts.data(), n, edges);
  edges.targets = {session, MemoryRole::scratch, count, "crossing edges"};
  launch(session, thread_each(nnz), write_targets, matrix, nnz, places, direction,
         starts.data() + 1, edges.targets.data());
  return edges;
}

DeviceTranspose transpose_pattern(DeviceSession& session, const PatternRef& matrix, Offset nnz) {
  DeviceTranspose transpose;
  transpose.starts = {session, MemoryRole::scratch, matrix.n + Offset{2}, "columns of the matrix"};
  transpose.rows = {session, MemoryRole::scratch, nnz, "rows of the columns"};
  transpose.starts.fill_bytes(0);
  launch(session, thread_each(nnz), count_columns, matrix, nnz, transpose.starts.data());
  exclusive_scan_in_place(session, transpose.starts.data(), transpose.starts.size());
  launch(session, thread_each(nnz), write_columns, matrix, nnz, transpose.starts.data() + 1,
         transpose.rows.data());
  return transpose;
}

}  // namespace lufact::gpu
