// SPDX-License-Identifier: BSD-3-Clause
// Sequential references of numeric factorization with static pivoting, by columns, right-looking.
#pragma once
#include <vector>

#include "core/base/types.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact::reference {

// L (unit diagonal not stored) and U of row_scale * B * col_scale, entry by entry of the pattern's
// rows. In float precision every operation rounds to float; the values are widened at the end.
struct Factors {
  std::vector<double> values;
  Offset perturbed_pivots = 0;
  double largest_perturbation = 0;  // largest |new pivot - old pivot|
  double growth = 0;                // max |LU| / max |scaled B|, 0 for a zero matrix
};

// A pivot p with |p| < threshold * B.scaled_norm becomes copysign(threshold * B.scaled_norm, p);
// zero counts as positive, whatever its sign bit.
struct StaticPivoting {
  double threshold = 1e-13;
  Precision precision = Precision::float64;
};

// E2E Algorithm 2, columns in ascending order.
Factors right_looking(const PermutedMatrix& b, const ColumnPattern& pattern,
                      const StaticPivoting& pivoting);

// E2E Algorithm 2, level by level, each level in descending order of its columns, every entry read
// as it stands at that moment: the legal order that hurts an unsafe schedule most. With a safe
// schedule the factors are those of `right_looking` up to rounding.
Factors right_looking_by_levels_descending(const PermutedMatrix& b, const ColumnPattern& pattern,
                                           const ColumnSchedule& schedule,
                                           const StaticPivoting& pivoting);

}  // namespace lufact::reference
