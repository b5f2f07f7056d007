// SPDX-License-Identifier: BSD-3-Clause
// The cost of an ordering, counted before anything is factored.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "core/matrix/pattern.hpp"
#include "core/matrix/permutation.hpp"
#include "core/order/graph/graph.hpp"
#include "core/rates/rates.hpp"

namespace lufact {

// Entries of each column of L of P(A + A')P', diagonal included. Gilbert, Ng and Peyton, "An
// efficient algorithm to compute row and column counts for sparse Cholesky factorization", SIAM J.
// Matrix Anal. Appl. 15(4), 1994, with Liu's row subtrees; `graph` is that of A + A', `parent` its
// elimination tree under `perm`. Nearly O(nnz(A)).
std::vector<Offset> column_counts(const nd::Graph& graph, const Permutation& perm,
                                  std::span<const Index> parent);

// Longest paths of the elimination tree from a leaf upwards; the three may be different paths.
struct PathCost {
  double flops = 0;    // of the columns on the heaviest path
  Index columns = 0;   // on the path of most columns
  double seconds = 0;  // of the slowest path: sum of ColumnPathRates::column_s
};
inline PathCost longer(const PathCost& a, const PathCost& b) noexcept {
  return {std::max(a.flops, b.flops), std::max(a.columns, b.columns),
          std::max(a.seconds, b.seconds)};
}

// Cost of LU on the pattern of A + A' as ordered.
struct OrderingCost {
  Index columns = 0;
  Index largest_column = 0;  // entries of the largest column, with diagonal
  double nnz_l = 0;          // with diagonal
  double flops = 0;          // divisions + 2 per multiply-add
  PathCost path;             // critical path, from a leaf to a root
};
// Cost of two parts of one order; takes the longer path and does not join the two.
inline OrderingCost sum(const OrderingCost& a, const OrderingCost& b) noexcept {
  return {a.columns + b.columns, std::max(a.largest_column, b.largest_column), a.nnz_l + b.nnz_l,
          a.flops + b.flops, longer(a.path, b.path)};
}
// Cost of the order `perm`, from the graph of A + A' or from A.
OrderingCost ordering_cost(const nd::Graph& graph, const Permutation& perm, int threads = 1,
                           const ColumnPathRates& rates = {});
OrderingCost ordering_cost(const CsrPattern& a, const Permutation& perm, int threads = 1,
                           const ColumnPathRates& rates = {});

}  // namespace lufact
