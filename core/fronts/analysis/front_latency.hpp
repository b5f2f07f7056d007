// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/front_products.hpp"
#include "core/rates/rates.hpp"

namespace lufact {

// Seconds that a front adds to a path of fronts in gpu-multifrontal: assembly and hand-over, a time
// for each tile of pivots (products with its inverses, one more hand-over) and for each 8 pivots.
constexpr double front_latency(Index pivots, Index rows, const FrontPathRates& rates) noexcept {
  const Index blocks = round_up(pivots, pivot_block) / pivot_block;
  const bool small = blocks * pivot_block + rows <= tile_order;
  const Index tiles = small ? 0 : round_up(pivots, tile_order) / tile_order;
  return rates.front_s + rates.tile_s * tiles + rates.pivot_block_s * blocks;
}

}  // namespace lufact
