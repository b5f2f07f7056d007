// SPDX-License-Identifier: BSD-3-Clause
// How a solution in double is refined with factors in lower numbers: what is decided, for either
// side. What is computed on vectors is the side's.
#pragma once
#include <span>
#include <vector>

#include "core/base/types.hpp"
#include "core/pipeline/dense_record.hpp"

namespace lufact {

// Largest magnitudes in a vector, NaN where one of its entries is.
struct RefinedSizes {
  double solution = 0, residual = 0;
};

// A x = b in double, for some columns b, with LU of A in lower numbers. Every column has a solution
// so far, zero at first, with its residual b - A x, and a candidate of both.
class RefinedColumns {
 public:
  virtual ~RefinedColumns() = default;
  virtual Index order() const = 0;
  virtual Index columns() const = 0;
  virtual double matrix_norm() const = 0;              // the largest sum of magnitudes in a row
  virtual std::vector<double> right_hand_sides() = 0;  // largest magnitudes

  // Candidates of `columns`: the solution and (LU)^-1 times its residual, in the numbers of the
  // factors. Sizes of the candidates.
  virtual std::vector<RefinedSizes> correct(std::span<const Index> columns) = 0;
  // The candidate of a column becomes its solution so far.
  virtual void take(Index column) = 0;

  // GMRES for M^-1 A d = M^-1 r, where M is LU, applied in double; vectors are an orthonormal basis
  // of its Krylov space. False where the factors are not finite.
  virtual bool open_krylov(int most_vectors) = 0;
  // The first vector: M^-1 times the column's residual, of whose length it returns.
  virtual double start_krylov(Index column) = 0;
  // Vector k + 1, from M^-1 A times vector k: its products with vectors 0 to k, and the length of
  // what is left. There is no vector where that is 0, or not finite.
  virtual std::vector<double> extend_krylov(int k) = 0;
  // The column's candidate: the solution and the vectors times `factors`.
  virtual RefinedSizes combine_krylov(Index column, std::span<const double> factors) = 0;
};

// Classical iterative refinement (Wilkinson; LAPACK's dsgesv): steps d = (LU)^-1 (b - A x) until
// the backward error ||b - A x|| / (||A|| ||x|| + ||b||) of every column is below 2 sqrt(n) eps, at
// most 30. Where a step does not halve the error of a column, GMRES solves for its corrections,
// with the factors as left preconditioner, applied in double (Carson and Higham, SIAM J. Sci.
// Comput. 39, 2017): at most 10 corrections of at most 50 iterations each, until one does not halve
// the error. A column that stays above has its best solution.
RefinementRecord refine(RefinedColumns& columns);

}  // namespace lufact
