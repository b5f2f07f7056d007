// SPDX-License-Identifier: BSD-3-Clause
// The dependencies between columns that determine the levels, by waiting column.
//
// On a pattern closed under elimination most dependencies (dependency_graph.hpp lists them) follow
// from others. Let p be the first column after i with both L(p,i) and U(i,p) nonzero. For t > p,
//   L(t,i) and U(i,p) give L(t,p), so that i -> t lies below i -> p -> t; under `exact` too, since
//     with U(i,k), k > t, L(p,i) gives U(p,k);
//   U(i,t) and L(p,i) give U(p,t), so that the same holds where column p of L is not empty.
// Both kinds of edge to p itself are one. What is left is a few edges for each column: exactly the
// elimination tree where the pattern is symmetric. The idea is the symmetric pruning of Eisenstat
// and Liu (SIAM J. Matrix Anal. Appl. 13, 1992), there for symbolic factorization.
#pragma once
#include "core/pipeline/column_products.hpp"
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// Plain data, passed to kernels. Column t waits for before[begin[t]] .. before[begin[t + 1] - 1],
// in any order, all smaller than t.
struct PrunedRef {
  Index n = 0;
  const Offset* begin = nullptr;
  const Index* before = nullptr;
};

class PrunedGraph {
 public:
  // Scratch: three indices and two offsets per column, and an index per edge. One control read.
  PrunedGraph(DeviceSession& session, const DeviceColumnPattern& pattern, DependencyRule rule);

  PrunedRef view() const noexcept { return {n_, begin_.data(), before_.data()}; }

 private:
  Index n_;
  Buffer<Offset> begin_;
  Buffer<Index> before_;
};

}  // namespace lufact::gpu
