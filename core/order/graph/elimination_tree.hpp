// SPDX-License-Identifier: BSD-3-Clause
// The elimination tree of A + A' and its postorder.
#pragma once
#include <span>
#include <vector>

#include "core/matrix/pattern.hpp"
#include "core/matrix/permutation.hpp"
#include "core/order/graph/graph.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

// Parent of each label of P(A + A')P' in its elimination tree, -1 for a root; labels are those of
// `perm`. Liu, "The role of elimination trees in sparse factorization", SIAM J. Matrix Anal. Appl.
// 11(1), 1990, algorithm 4.2: path compression, O(nnz log n). `a` is square with ascending columns.
// With threads, ranges of labels first get trees of their own (RangeTrees).
std::vector<Index> elimination_tree(const CsrPattern& a, const Permutation& perm, int threads = 1);

// The same from the graph of A + A'. Ranges are the `parts` (see Ordering) and pieces of the labels
// behind the parts, so that only edges of these labels cross ranges; without parts, ranges of equal
// size.
std::vector<Index> elimination_tree(const nd::Graph& graph, const Permutation& perm,
                                    std::span<const Index> parts, int threads);

// Postorder of a forest given by parents, which have larger numbers than their children: entry k is
// the node visited k-th. Children of a node come in ascending order, and so do roots. O(n).
std::vector<Index> postorder(std::span<const Index> parent);

// The ordering followed by a postorder of its elimination tree: an equivalent reordering of A + A'
// (same fill in its factors), in which every subtree has consecutive labels. Its forest is set.
Ordering compose_postorder(const CsrPattern& pa, const Ordering& ordering, int threads = 1);

}  // namespace lufact
