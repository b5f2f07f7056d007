// SPDX-License-Identifier: BSD-3-Clause
// The dependencies between columns under a rule, with their counts per column.
//
// Edges are of two kinds, counted apart even where both join the same pair of columns:
//   U edges i -> k: U(i,k) != 0, k > i, where column i of L is not empty; under every rule
//   L edges i -> t: L(t,i) != 0; under `exact` where the last column of row i of U lies beyond t
//     (on a fill-closed pattern the double-U dependencies of GLU 2.0), under `relaxed` all, under
//     `glu1` none
#pragma once
#include "core/pipeline/column_products.hpp"
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// Plain data, passed to kernels. U edges are read from the pattern's rows.
struct GraphRef {
  PatternRef pattern;  // of L + U
  const Offset* diagonal = nullptr;
  DependencyRule rule = DependencyRule::relaxed;
  const Offset* lower_begin = nullptr;  // n + 1: entries of each column of L, as offsets
  const Offset* lower_end = nullptr;    // end of the L edges of column i, from lower_begin[i] on
  const Index* lower_rows = nullptr;    // their targets t, in any order
};

class DependencyGraph {
 public:
  // In scratch: two offsets and a count per column, and an index per entry of L unless `glu1`.
  DependencyGraph(DeviceSession& session, const DeviceColumnPattern& pattern, DependencyRule rule);

  const GraphRef& view() const noexcept { return view_; }
  // Edges into each column; the sort counts them down.
  Index* unmet() noexcept { return unmet_.data(); }

 private:
  Buffer<Offset> lower_begin_, lower_end_;
  Buffer<Index> lower_rows_, unmet_;
  GraphRef view_;
};

}  // namespace lufact::gpu
