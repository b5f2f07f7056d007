// SPDX-License-Identifier: BSD-3-Clause
// Validator of the factors of the column family: L U against the matrix that was factored.
#pragma once
#include <span>

#include "core/base/types.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/product_handler.hpp"

namespace lufact {

struct FactorsCheck {
  double relative_error = 0;  // ||S - LU|| / ||S||, infinity norms; +infinity where not finite
  ValidatorVerdict verdict;
};

// S = row_scale * b * col_scale. `values` are L (unit diagonal not stored) and U, entry by entry of
// the rows of `pattern`, which must be a valid pattern that contains `b`; in double even where the
// factors are float. `largest_perturbation` is what static pivoting added to a pivot at most.
//
// Elimination without pivoting commits |S - LU| <= gamma_m |L||U| in every entry, in whatever order
// the m updates of the entry were added (Higham, Accuracy and Stability of Numerical Algorithms,
// 2nd ed., theorem 9.3, with the m of the entry). So row i passes where
//   sum_j |S - LU|_ij  <=  8 (m_i + 4) u sum_j (|L||U|)_ij + largest_perturbation,
// m_i the entries of row i of L and u the unit roundoff of `precision`: the 4 covers scaling and
// rounding S, the factor 8 the check's own rounding. Growth is in |L||U| already. The message names
// the worst row, from 0. O(multiply-adds of the factorization), rows in parallel.
FactorsCheck check_factors(const PermutedMatrix& b, const ColumnPattern& pattern,
                           std::span<const double> values, Precision precision,
                           double largest_perturbation);

}  // namespace lufact
