// SPDX-License-Identifier: BSD-3-Clause
// Minimum degree orderings of SuiteSparse on our patterns.
#pragma once
#include "core/matrix/pattern.hpp"
#include "core/matrix/permutation.hpp"
#include "core/order/graph/ordering_cost.hpp"

namespace lufact {

// Approximate minimum degree on A + A' (Amestoy, Davis and Duff, ACM TOMS 30(3), 2004, algorithm
// 837), default parameters. `a` is square with ascending columns; the diagonal does not matter.
// 64-bit integers inside where 32 bits are too few. Throws Error{oom_host, "ordering_memory"}.
Permutation amd_ordering(const CsrPattern& a);

// The same with an upper bound of the order's cost, which AMD counts on its way. AMD knows no
// paths: the bound's path has all columns.
struct AmdOrder {
  Permutation perm;
  OrderingCost most;
};
AmdOrder amd_ordering_with_cost(const CsrPattern& a, const ColumnPathRates& rates = {});

// Column approximate minimum degree (Davis, Gilbert, Larimore and Ng, ACM TOMS 30(3), 2004,
// algorithm 836): a fill-reducing order of the columns of A for A'A. Integers and errors as for
// AMD.
Permutation colamd_ordering(const CsrPattern& a);

}  // namespace lufact
