// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/dependency.hpp"

#include <algorithm>
#include <cstdint>

namespace lufact {
namespace {

// The columns i with an entry L(t, i) below the diagonal.
std::vector<std::uint8_t> columns_with_lower_part(const ColumnPattern& pattern) {
  std::vector<std::uint8_t> has_lower(at(pattern.rows.n_rows), 0);
  for (std::size_t t = 0; t < has_lower.size(); ++t) {
    for (Offset p = pattern.rows.row_ptr[t]; p < pattern.diagonal[t]; ++p) {
      has_lower[at(pattern.rows.col_idx[at(p)])] = 1;
    }
  }
  return has_lower;
}

}  // namespace

std::vector<Index> column_levels(const ColumnPattern& pattern, DependencyRule rule) {
  const Index n = pattern.rows.n_rows;
  const std::vector<std::uint8_t> has_lower = columns_with_lower_part(pattern);
  const Index* const columns = pattern.rows.col_idx.data();
  std::vector<Index> level(at(n), 0), last_column(at(n), 0);
  // Row t is reached when every earlier row has pushed its U edges; its own L edges are pulled.
  for (Index t = 0; t < n; ++t) {
    const Offset begin = pattern.rows.row_ptr[at(t)];
    const Offset diagonal = pattern.diagonal[at(t)];
    const Offset end = pattern.rows.row_ptr[at(t) + 1];
    Index own = level[at(t)];
    if (rule != DependencyRule::glu1) {
      const bool all = rule == DependencyRule::relaxed;
      for (Offset p = begin; p < diagonal; ++p) {
        const auto i = at(columns[p]);
        if (all || last_column[i] > t) own = std::max(own, level[i] + 1);
      }
      level[at(t)] = own;
    }
    last_column[at(t)] = columns[end - 1];
    if (has_lower[at(t)] == 0) continue;
    for (Offset p = diagonal + 1; p < end; ++p) {
      Index& later = level[at(columns[p])];
      later = std::max(later, own + 1);
    }
  }
  return level;
}

Offset count_levels(const ColumnPattern& pattern, DependencyRule rule) {
  const std::vector<Index> level = column_levels(pattern, rule);
  return level.empty() ? 0 : Offset{*std::max_element(level.begin(), level.end())} + 1;
}

}  // namespace lufact
