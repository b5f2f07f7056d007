// SPDX-License-Identifier: BSD-3-Clause
// Maximum product matching with scaling.
#pragma once
#include <optional>
#include <vector>

#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

// The row permutation that makes the product of the diagonal's magnitudes largest, with scalings
// such that |r_i a_ij c_j| <= 1 everywhere and = 1 on the new diagonal, up to rounding.
//
// Algorithm: job 5 of Duff and Koster, SIAM J. Matrix Anal. Appl. 22(4), 2001, by rows: an
// assignment problem with the costs c_ij = log max_j |a_ij| - log |a_ij|, whose duals u_i, v_j give
// r_i = exp(u_i) / max_j |a_ij| and c_j = exp(v_j). Explicit zeros count as absent. Where the
// diagonal is already optimal under r_i = c_i = |a_ii|^(-1/2) (symmetric positive definite or
// symmetrically dominant), one pass over the matrix proves it and nothing else is done.
//
// `a` is square with finite values; otherwise Error{error, "bad_matrix"}. Structural rank below n:
// Error{singular_structural, "structurally_singular"} with the rank and the first unmatched rows
// and columns, counted from 1 as in a Matrix Market file. With `allow_singular` the matching is
// of largest product on the rows and columns of one matching of largest size; the other rows go to
// the other columns, to their own number first, with scale 1, and nothing bounds their entries.
// A scale beyond the range of double is clamped, and a warning `scaling_clamped` is added. The
// result is the same for every number of threads.
Matching mc64(const CsrMatrix& a, bool allow_singular, std::vector<Warning>& warnings,
              int threads = 1);

// The identity with the scales |a_ii|^(-1/2) where these are feasible, which proves it optimal: any
// other permutation has a product of scaled magnitudes of at most 1. One pass over `a`, which is
// square; empty for anything that is not finite.
std::optional<Matching> settle_on_diagonal(const CsrMatrix& a, int threads);

// Adds `scaling_clamped` unless that is none.
void warn_of_clamped_scales(Offset clamped, std::vector<Warning>& warnings);

}  // namespace lufact
