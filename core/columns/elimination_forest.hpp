// SPDX-License-Identifier: BSD-3-Clause
// The graph of B + B' as two lists for each vertex, and its elimination forest, made by several
// threads.
#pragma once
#include <vector>

#include "core/base/types.hpp"
#include "core/base/uninitialized_array.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

// The earlier neighbours of each vertex i of B + B': the columns k < i of row i of B, and the rows
// k < i of column i. `b` must outlive this.
class EarlierNeighbours {
 public:
  EarlierNeighbours(const PatternView& b, int threads);

  Index size() const noexcept { return b_.n_rows; }
  // The pattern of B is that of B': both lists are the same for every vertex.
  bool symmetric() const noexcept { return symmetric_; }
  // Entries B(i, k) with k < i, ascending.
  std::span<const Index> lower(Index i) const noexcept;
  // Entries B(k, i) with k < i, ascending.
  std::span<const Index> upper(Index i) const noexcept {
    return upper_columns_.subspan(upper_ptr_[static_cast<std::size_t>(i)],
                                  upper_ptr_[static_cast<std::size_t>(i) + 1]);
  }
  const PatternView& matrix() const noexcept { return b_; }

 private:
  void find_lower_ends(int threads);
  void transpose_upper(int threads);
  bool lists_are_equal(int threads) const;

  PatternView b_;
  std::vector<Offset> lower_end_;  // of row i in b_.col_idx
  std::vector<Offset> upper_ptr_;
  UninitializedArray<Index> upper_columns_;
  bool symmetric_ = false;
};

// Parent of each vertex in the elimination forest of B + B', -1 for a root (J. W. H. Liu, "The role
// of elimination trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11, 1990, algorithm
// 4.2). The forest is a minimum spanning forest where an edge weighs its later end. The forest of a
// union of edge sets is therefore that of the union of their forests: each thread reduces a range
// of rows to its forest, and the edges of these forests are linked in order of rows.
std::vector<Index> elimination_forest(const EarlierNeighbours& graph, int threads);

}  // namespace lufact
