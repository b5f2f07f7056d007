// SPDX-License-Identifier: BSD-3-Clause
// Checks the symmetry that a banner claims, and measures the symmetry that a pattern has.
#pragma once
#include "core/matrix/pattern.hpp"
#include "core/matrix/triplet_parser.hpp"

namespace lufact::matrix_market {

// A symmetric file lists either triangle, or some of each, but no entry together with its mirror
// image; a skew-symmetric one has no diagonal entry other than 0, and as a pattern none at all.
// Throws Error{error, "bad_matrix"} with the line of the first entry that breaks this.
void check_stored_symmetry(const SourceText& source, const Header& header, const Triplets& triplets,
                           int threads);

// Share of the off-diagonal entries (i, j) whose mirror (j, i) is present; 1 where there are none.
// The pattern is square with ascending columns. O(nnz log(row length)).
double structural_symmetry(const PatternView& pattern, int threads);

}  // namespace lufact::matrix_market
