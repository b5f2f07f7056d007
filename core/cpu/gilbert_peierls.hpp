// SPDX-License-Identifier: BSD-3-Clause
// Symbolic LU without pivoting by reachability: Gilbert and Peierls (SIAM J. Sci. Stat. Comput. 9,
// 1988) with the symmetric pruning of Eisenstat and Liu (SIAM J. Matrix Anal. Appl. 13, 1992).
#pragma once
#include <vector>

#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

// Column k of L + U is what column k of B reaches in the graph of the columns of L found so far. A
// column j of L is pruned once L(k,j) and U(j,k) are both present: everything below k that j leads
// to is led to by k as well, so later searches need its rows up to k only.
class GilbertPeierls {
 public:
  // `by_column`: the pattern of B by columns (B's transpose by rows), square.
  explicit GilbertPeierls(const PatternView& by_column);

  void add_column(Index k);  // in order, k = 0 .. n - 1
  Offset nnz() const noexcept;
  // The pattern of L + U by rows, once all columns are there. Leaves this object empty.
  ColumnPattern take_rows();

 private:
  void search(Index root, Index k);
  void prune(Index j, Index k);

  PatternView by_column_;
  std::vector<Offset> l_begin_;     // column j of L: l_rows_[l_begin_[j] .. l_begin_[j + 1])
  std::vector<Offset> l_search_;    // end of the rows that searches visit
  std::vector<Index> l_rows_;       // unordered inside a column
  std::vector<Offset> u_begin_{0};  // column k of U without its diagonal
  std::vector<Index> u_rows_;
  std::vector<Index> mark_;         // last column that reached a row
  std::vector<char> pruned_;
  std::vector<Index> stack_;
  std::vector<Offset> position_;    // of the search in each column on the stack
};

}  // namespace lufact
