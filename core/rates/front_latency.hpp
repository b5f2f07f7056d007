// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/front_products.hpp"

namespace lufact {

// Seconds that a front adds to a path of fronts in gpu-multifrontal: assembly and hand-over, a time
// for each tile of pivots (products with its inverses, one more hand-over) and for each 8 pivots.
// The last is 2475 cycles of an H200, measured alone; the others were fitted to refactorizations of
// 0.09 to 3.5 ms there, together with a time for each task (17 matrices, root mean square deviation
// 12%). The kernel has gained since: refactorizations of 35 matrices, with upload and solve, take
// 0.73 to 1.11 of their forecast.
constexpr double front_latency(Index pivots, Index rows) noexcept {
  constexpr double of_front = 3.1e-6, of_tile = 11.8e-6, of_pivot_block = 1.25e-6;
  const Index blocks = round_up(pivots, pivot_block) / pivot_block;
  const bool small = blocks * pivot_block + rows <= tile_order;
  const Index tiles = small ? 0 : round_up(pivots, tile_order) / tile_order;
  return of_front + of_tile * tiles + of_pivot_block * blocks;
}

}  // namespace lufact
