// SPDX-License-Identifier: BSD-3-Clause
// What the elimination forest of the symmetric part leaves of an unsymmetric pattern: the crossing
// edges, between vertices of which neither is an ancestor of the other, laid out so that those that
// leave a subtree are consecutive. (An edge between a vertex and its ancestor joins what the
// symmetric part joins below the ancestor's label already.)
#pragma once
#include "gpu/forest/subtree_intervals.hpp"
#include "gpu/symbolic/fill2/fill2_forest.hpp"

namespace lufact::gpu {

// Crossing edges of one vertex x and its subtree, one load: those of the subtree are
// targets[begin .. end), those of x itself targets[own .. end).
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
  Buffer<Offset> starts;  // n + 2: what is taken from the end of each list moves them by one
  Buffer<Index> rows;

  PatternRef ref(Index n) const noexcept { return {n, starts.data() + 1, rows.data()}; }
};
DeviceTranspose transpose_pattern(DeviceSession& session, const PatternRef& matrix, Offset nnz);

}  // namespace lufact::gpu
