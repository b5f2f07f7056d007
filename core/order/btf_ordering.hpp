// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/matrix/pattern.hpp"
#include "core/matrix/permutation.hpp"

namespace lufact {

// A symmetric permutation to block upper triangular form: block b has the new labels
// block_ptr[b] .. block_ptr[b + 1), and no entry lies below the diagonal blocks.
struct BlockTriangularForm {
  Permutation perm;
  std::vector<Index> block_ptr{0};
};

// Strongly connected components of the graph of A (Tarjan; SuiteSparse BTF, Davis and Palamadai
// Natarajan, ACM TOMS 37(3), 2010, algorithm 907). Missing diagonal entries do not matter, but the
// blocks are the finest ones only where the diagonal can be matched.
BlockTriangularForm block_triangular_form(const CsrPattern& a);

// The same block form, with the labels inside each block in AMD order.
BlockTriangularForm btf_amd_ordering(const CsrPattern& a);

}  // namespace lufact
