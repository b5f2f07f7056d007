// SPDX-License-Identifier: BSD-3-Clause
// The crossing edges of an unsymmetric pattern: edges between vertices of which neither is an
// ancestor of the other in the elimination forest of the symmetric part. Edges that leave a subtree
// are consecutive. (Other edges are not needed: the symmetric part connects a vertex and its
// ancestor through smaller labels already.)
#pragma once
#include "gpu/forest/subtree_intervals.hpp"
#include "gpu/symbolic/fill2/fill2_forest.hpp"

namespace lufact::gpu {

// Crossing edges of one vertex x and its subtree, in one load: targets[begin .. end) are those of
// the subtree, targets[own .. end) those of x itself.
struct alignas(16) CrossingSlice {
  Index begin = 0, own = 0, end = 0;
  // children[child_begin .. child_begin of the next vertex): children of x that have crossing edges
  // in their subtrees.
  Index child_begin = 0;
};

struct CrossingRef {
  const CrossingSlice* slices = nullptr;  // n + 1
  const Index* targets = nullptr;
  const Index* children = nullptr;
  const unsigned* present = nullptr;  // bit x: the subtree of x has crossing edges
};

struct CrossingEdges {
  Buffer<CrossingSlice> slices;
  Buffer<Index> targets, children;
  Buffer<unsigned> present;

  CrossingRef ref() const noexcept {
    return {slices.data(), targets.data(), children.data(), present.data()};
  }
};

// Edges follow the entries of the matrix from row to column, or the other way.
enum class EdgeDirection { row_to_column, column_to_row };

// One control read. Throws Error{unsupported, "matrix_too_large"} beyond 2^31 - 1 crossing edges.
CrossingEdges build_crossing_edges(DeviceSession& session, const PatternRef& matrix, Offset nnz,
                                   const SymmetricForest& forest, const SubtreeIntervals& intervals,
                                   EdgeDirection direction);

// The rows of each column, in any order.
struct DeviceTranspose {
  Buffer<Offset> starts;  // n + 2; ref() skips the first: filling lists shifts starts by one
  Buffer<Index> rows;

  PatternRef ref(Index n) const noexcept { return {n, starts.data() + 1, rows.data()}; }
};
DeviceTranspose transpose_pattern(DeviceSession& session, const PatternRef& matrix, Offset nnz);

}  // namespace lufact::gpu
