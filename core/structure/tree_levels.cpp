// SPDX-License-Identifier: BSD-3-Clause
#include "core/structure/tree_levels.hpp"

#include <algorithm>

namespace lufact {

std::vector<Index> tree_heights(std::span<const Index> parent) {
  std::vector<Index> height(parent.size(), 0);
  for (std::size_t k = 0; k < parent.size(); ++k) {
    if (parent[k] < 0) continue;
    Index& above = height[at(parent[k])];
    above = std::max(above, height[k] + 1);
  }
  return height;
}

std::vector<Offset> level_widths(std::span<const Index> height) {
  std::vector<Offset> width;
  for (const Index h : height) {
    if (at(h) >= width.size()) width.resize(at(h) + 1, 0);
    ++width[at(h)];
  }
  return width;
}

}  // namespace lufact
