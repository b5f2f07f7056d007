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

}  // namespace lufact
