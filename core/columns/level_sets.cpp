// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/level_sets.hpp"

#include <algorithm>

namespace lufact {

LevelSets group_by_level(std::span<const Index> level_of) {
  LevelSets sets;
  if (level_of.empty()) return sets;
  const auto levels =
      static_cast<std::size_t>(*std::max_element(level_of.begin(), level_of.end())) + 1;
  sets.level_ptr.assign(levels + 1, 0);
  for (const Index level : level_of) ++sets.level_ptr[static_cast<std::size_t>(level) + 1];
  for (std::size_t l = 0; l < levels; ++l) sets.level_ptr[l + 1] += sets.level_ptr[l];
  std::vector<Index> next(sets.level_ptr.begin(), sets.level_ptr.end() - 1);
  sets.items.resize(level_of.size());
  for (std::size_t i = 0; i < level_of.size(); ++i) {
    const auto position = next[static_cast<std::size_t>(level_of[i])]++;
    sets.items[static_cast<std::size_t>(position)] = static_cast<Index>(i);
  }
  return sets;
}

}  // namespace lufact
