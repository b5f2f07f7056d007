// SPDX-License-Identifier: BSD-3-Clause
// The exact pattern of L + U on several threads: words of 64 columns along the paths of the
// elimination forest of B + B' (J. W. H. Liu, "The role of elimination trees in sparse
// factorization", SIAM J. Matrix Anal. Appl. 11, 1990), whose paths bound the places of entries,
// and elimination on the bits. For a symmetric pattern the row subtrees of the forest are the
// pattern, and nothing is eliminated.
#pragma once
#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/stage.hpp"

namespace lufact {

// The pattern of L + U of B = LU without pivoting, values disregarded (no cancellation), on
// `threads` threads; the same for any number of them. `b` is square with ascending columns
// and labelled in any order; a missing diagonal entry is taken as present. Sub-phases `forest`,
// `slots`, `fronts` (of an unsymmetric pattern), `count` and `rows` are recorded in the context;
// check_resident is called as soon as the size is known. Throws std::bad_alloc or
// Error{size_overflow, index_overflow} where it does not fit.
ColumnPattern factor_pattern_parallel(const PatternView& b, int threads, StageContext& context);

}  // namespace lufact
