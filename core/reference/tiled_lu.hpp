// SPDX-License-Identifier: BSD-3-Clause
// Sequential twin of the variant `task-graph` of dense: LU without pivoting in square tiles, of
// which those on the diagonal are inverted or kept.
#pragma once
#include "core/base/types.hpp"

namespace lufact::reference {

// What is done with a tile on the diagonal: by largest_inverse_entry, or, to tell what that is good
// for, always or never by inverses.
enum class DiagonalTiles { judged, inverted, factored };

// A = LU of an n x n matrix by columns in its place, n >= 1. Gives the number of tiles on the
// diagonal that were kept as L and U. Where they are inverses, tiles beside and below are products
// with them and so are the factors of the tile itself; else all are solved for by substitution.
template <class Real>
Index tiled_lu(Index n, Real* a, Index ld, DiagonalTiles diagonal);

}  // namespace lufact::reference
