// SPDX-License-Identifier: BSD-3-Clause
// Sequential reference of the triangular solves with L and U in one pattern.
#pragma once
#include <span>

#include "core/pipeline/column_products.hpp"

namespace lufact::reference {

// x := U \ (L \ x) for each of the `columns` vectors of length n that `x` holds one after another;
// `values` are L (unit diagonal not stored) and U, entry by entry of the pattern's rows.
void solve(const ColumnPattern& pattern, std::span<const double> values, std::span<double> x,
           Index columns);

}  // namespace lufact::reference
