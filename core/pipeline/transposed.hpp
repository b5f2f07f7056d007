// SPDX-License-Identifier: BSD-3-Clause
// Solves with the transpose of the matrix whose factors are there: with LU = R B C, R and C the
// scalings of rows and columns, B' y = c has the solution y = R (L' \ (U' \ (C c))). In terms of A
// rows and columns change places: c is by the labels of A's columns, y by those of A's rows.
// Classes implement these beside the interfaces of stage.hpp and vectors.hpp; stages say in their
// info whether their factors do.
#pragma once
#include "core/pipeline/stage.hpp"

namespace lufact {

struct Chain;

// A numeric stage to which the choices of a run may lead and which is no such one; null where there
// is none.
const NumericStage* find_without_transposed(const Chain& chain);

// Beside Factors, by every method of its solves.
class TransposedFactors {
 public:
  virtual ~TransposedFactors() = default;
  // x := L' \ (U' \ x), as Factors::solve().
  virtual void solve_transposed(VectorBlock& x, std::string_view method) const = 0;
};

// Beside VectorBackend.
class TransposedVectors {
 public:
  virtual ~TransposedVectors() = default;
  // y = B' x (unscaled B).
  virtual void multiply_transposed(const Product& matrix, const VectorBlock& x, VectorBlock& y) = 0;
  // As VectorBackend::residual() with r = b - B' x; `matrix_norm` is the largest row sum of |B'|.
  virtual double residual_transposed(const Product& matrix, double matrix_norm,
                                     const VectorBlock& x, const VectorBlock& b,
                                     VectorBlock& r) = 0;
};

// x := an approximate B' \ b by TransposedFactors; x may be b. Throws std::bad_cast where they are
// none.
void apply_transposed(const Factors& factors, const Product& matrix, VectorBackend& vectors,
                      const VectorBlock& b, VectorBlock& x, std::string_view method);

}  // namespace lufact
