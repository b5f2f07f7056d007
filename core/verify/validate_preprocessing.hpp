// SPDX-License-Identifier: BSD-3-Clause
// Validators of preprocessing: independent of the code that matches, orders and permutes. Rows and
// columns are named by their labels from 0.
#pragma once
#include <span>

#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/product_handler.hpp"

namespace lufact {

// `labels` is a bijection of 0 .. size-1.
ValidatorVerdict validate_permutation(std::span<const Index> labels);

// The invariants of a maximum product matching with scaling (Duff and Koster 2001), which prove it
// optimal: scalings are positive and finite, structural_rank of the entries (rows.old_of_new()[k],
// k) are nonzero and have scaled magnitude 1 within `tolerance`, and every scaled entry in matched
// rows and columns is at most `largest` + tolerance: 1 proves the product of the matched entries to
// be the largest, more proves that no product is beyond largest^n times it. A completed matching
// (structural_rank < n) says nothing of the other rows and columns.
ValidatorVerdict validate_matching(const CsrMatrix& a, const Matching& matching,
                                   double tolerance = 1e-8, double largest = 1);

// B is A permuted: every entry of A stands once at its new place with its value and source,
// everything else is an added diagonal entry of value 0, the count of those and the scaled norm are
// right. O(nnz log n).
ValidatorVerdict validate_permuted_matrix(const CsrMatrix& a, const PermutedMatrix& b);

}  // namespace lufact
