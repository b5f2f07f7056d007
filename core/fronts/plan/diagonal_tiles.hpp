// SPDX-License-Identifier: BSD-3-Clause
// What is stored of a tile on the diagonal of a dense front.
#pragma once

namespace lufact {

// What the flag of a tile on the diagonal says once it is complete: other tiles are multiplied by
// the inverses of its L and U, or solved for with L and U themselves.
inline constexpr unsigned stored_inverses = 1, stored_factors = 2;

// No entry of an inverse that others are multiplied by exceeds this: the error of the product is
// that of substitution times about as much. It is for L, and for U with rows divided by its pivots,
// which changes neither error.
inline constexpr int largest_inverse_entry = 4;

}  // namespace lufact
