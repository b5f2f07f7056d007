// SPDX-License-Identifier: BSD-3-Clause
// Small matrices for the tests of every module. Linked by tests only.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact::test {

struct Triplet {
  Index row, col;
  double value;
};

// Duplicates are summed.
CsrMatrix matrix_from_triplets(Index n, std::vector<Triplet> triplets);

// About `per_row` entries off the diagonal in each row, uniform in [-1, 1); the diagonal, larger
// than the sum of its row, is left out of every `missing_every`-th row (0: of none).
CsrMatrix random_matrix(Index n, Index per_row, std::uint64_t seed, Index missing_every = 0);

struct NamedMatrix {
  std::string name;
  CsrMatrix matrix;
  // Elimination in natural order without pivoting meets no zero pivot and no large growth.
  bool dominant = true;
};

// Empty, 1 x 1, sizes around 32 and 64, dense row, arrows, missing diagonal, singular (zero row,
// equal rows), disconnected, triangular, GLU3's 3 x 3 example, grids, random ones with fixed seeds.
std::vector<NamedMatrix> named_matrices();

// GLU3's example of the double-U dependency: {{1,0,1},{1,1,1},{0,1,1}}. Its levels are 0 0 1 under
// glu1, which is wrong, and 0 1 2 under the other rules.
CsrMatrix glu3_example();

// B of `a` as it stands: natural order, unit scalings, missing diagonal entries added.
PermutedMatrix natural_order(const CsrMatrix& a);

}  // namespace lufact::test
