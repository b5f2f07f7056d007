// SPDX-License-Identifier: BSD-3-Clause
// How the factorization's kernel sums the products of a tile.
#pragma once
#include <span>

#include "core/pipeline/front_tasks.hpp"

namespace lufact::gpu {

// panels: all warps of a block copy a panel, then multiply. ring: the copy unit brings panels of
// deep sums, which takes registers from whatever else the kernel does.
enum class ProductWay { panels, ring };

// Flops of the products of whole tiles of these fronts.
double product_flops(std::span<const FrontShape> shapes);

// What pays for these fronts, where the card and the precision have both.
ProductWay product_way(std::span<const FrontShape> shapes);

}  // namespace lufact::gpu
