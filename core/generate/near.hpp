// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/base/types.hpp"
#include "core/generate/fixed_point.hpp"

namespace lufact::generate {

// One of `count` items, near `item` in their numbering: P(distance > d) falls like 1 / d. At the
// ends of the numbering it may be `item` itself. `count` is at least 2.
inline Index near_item(Index item, Index count, std::uint64_t random) {
  const int tail = std::min(std::countr_zero(random), 24);
  const std::int64_t reach = std::min<std::int64_t>(std::int64_t{4} << tail, count - 1);
  const auto distance = static_cast<Index>(1 + uniform_below(random, reach));
  return item + distance < count ? item + distance : std::max(item - distance, Index{0});
}

}  // namespace lufact::generate
