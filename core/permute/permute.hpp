// SPDX-License-Identifier: BSD-3-Clause
// Applies a matching and an ordering to a matrix.
#pragma once
#include <memory>
#include <span>

#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

// The pattern of PA, where row k of PA is row rows.old_of_new()[k] of A: what orderings work on.
CsrPattern permuted_rows(const CsrMatrix& a, const Permutation& rows);

// B = (P_o P_m) A P_o' with every field of PermutedMatrix set: columns ascending, absent diagonal
// entries added with value 0 and counted. Sizes must agree (std::invalid_argument). Parallel over
// rows; the result does not depend on the number of threads.
std::shared_ptr<PermutedMatrix> build_permuted_matrix(const CsrMatrix& a, const Matching& matching,
                                                      Ordering ordering);

// The same but for the entries, which are yet to be placed: pattern.col_idx, values and source are
// empty, scaled_norm is 0, and `unplaced` is &a, which must not change before they are.
std::shared_ptr<PermutedMatrix> lay_out_permuted_matrix(const CsrMatrix& a,
                                                        const Matching& matching,
                                                        Ordering ordering);

// Places the entries of *matrix.unplaced where that has not been done.
void place_entries(PermutedMatrix& matrix);

// Gives the matrix other values of A, one per entry of A's pattern: replaces values and
// scaled_norm. A wrong number of values is a std::invalid_argument. Parallel over rows.
void replace_values(PermutedMatrix& matrix, std::span<const double> new_values_of_a);

}  // namespace lufact
