// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/front_products.hpp"
#include "core/pipeline/pivot_delay.hpp"

namespace lufact {

// Delayed pivots (Duff and Reid, ACM Trans. Math. Software 9, 1983, section 4) for engines that
// eliminate by a fixed plan: weak pivots leave their front, for a plan in which they come behind
// the pivots of an ancestor, where more of their row and column is summed up. The first time that
// is the parent, each time after twice as many fronts up, so that log2 of the tree's height times
// bring every pivot to the root; there they come last. Fronts without pivots do not count. O(n +
// height * weak pivots).
DelayedOrder delay_pivots(const FrontTree& tree, std::span<const double> size, double smallest,
                          std::span<std::uint8_t> times);

std::unique_ptr<PivotDelay> make_front_pivot_delay();

}  // namespace lufact
