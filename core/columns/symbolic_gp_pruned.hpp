// SPDX-License-Identifier: BSD-3-Clause
// The exact pattern of L + U on one core: reachability by columns (Gilbert and Peierls, "Sparse
// partial pivoting in time proportional to arithmetic operations", SIAM J. Sci. Stat. Comput. 9,
// 1988) in a graph of L that is kept small by symmetric pruning (Eisenstat and Liu, "Exploiting
// structural symmetry in unsymmetric sparse symbolic factorization", SIAM J. Matrix Anal. Appl. 13,
// 1992).
#pragma once
#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/stage.hpp"

namespace lufact {

// The pattern of L + U of B = LU without pivoting, values disregarded (no cancellation). `b` is
// square with ascending columns; a missing diagonal entry is taken as present. Sub-phases `search`
// and `rows` are recorded in the context; check_resident is called between them.
// Throws std::bad_alloc or Error{oom_host, "size_overflow"} where the pattern does not fit.
ColumnPattern factor_pattern_gp_pruned(const PatternView& b, StageContext& context);

}  // namespace lufact
