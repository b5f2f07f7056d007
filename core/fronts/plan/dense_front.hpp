// SPDX-License-Identifier: BSD-3-Clause
// A dense square matrix as one front that has pivots alone: the tasks of its tiles, for engines
// that take entries from the matrix itself.
#pragma once
#include "core/pipeline/front_products.hpp"

namespace lufact {

// One front of `order` >= 1 pivots in tiles, however small, and one task a ticket; no entries,
// children and solves. Throws Error{unsupported, "index_overflow"} where its tiles would not fit an
// Index.
TaskGraph dense_front_graph(Index order, int threads);

// What the flag of a tile on the diagonal says once it is complete: other tiles are multiplied by
// the inverses of its L and U, or solved for with L and U themselves.
inline constexpr unsigned stored_inverses = 1, stored_factors = 2;

// No entry of an inverse that others are multiplied by exceeds this: the error of the product is
// that of substitution times about as much. It is for L, and for U with rows divided by its pivots,
// which changes neither error.
inline constexpr int largest_inverse_entry = 4;

}  // namespace lufact
