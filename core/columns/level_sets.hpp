// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// Items grouped by level: level l is items[level_ptr[l] .. level_ptr[l+1]), ascending.
struct LevelSets {
  std::vector<Index> items;
  std::vector<Index> level_ptr{0};

  Index levels() const noexcept { return static_cast<Index>(level_ptr.size()) - 1; }
};

// Counting sort of 0 .. level_of.size()-1 by level; levels are counted from 0. O(n + levels).
LevelSets group_by_level(std::span<const Index> level_of);

}  // namespace lufact
