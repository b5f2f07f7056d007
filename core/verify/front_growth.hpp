// SPDX-License-Identifier: BSD-3-Clause
// Growth of U in factors of fronts, for engines that do not watch it.
#pragma once
#include <span>

#include "core/pipeline/front_products.hpp"

namespace lufact {

// max |u_ij| over max |s_ij| for S = row_scale * b * col_scale, from factors that are stored as
// `shapes` say; 0 for a matrix of zeros, not finite where an entry of U is not. Triangular blocks
// are inverted back: about as much work as the fronts' pivots took.
double growth_of_u(const PermutedMatrix& b, std::span<const FrontShape> shapes,
                   std::span<const double> values);

}  // namespace lufact
