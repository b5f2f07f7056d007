// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/levelize.hpp"

#include <algorithm>
#include <span>

namespace lufact::reference {
namespace {

// The part of an ascending list that lies beyond `bound`.
std::span<const Index> beyond(std::span<const Index> list, Index bound) {
  const auto begin = std::upper_bound(list.begin(), list.end(), bound);
  return list.subspan(static_cast<std::size_t>(begin - list.begin()));
}

bool share_an_element(std::span<const Index> a, std::span<const Index> b) {
  std::size_t p = 0, q = 0;
  while (p < a.size() && q < b.size()) {
    if (a[p] == b[q]) return true;
    ++(a[p] < b[q] ? p : q);
  }
  return false;
}

// Whether columns i and t are in the double-U relation: GLU3 Algorithm 3, lines 4 to 9.
bool is_double_u(const CsrPattern& by_row, const CsrPattern& by_column, Index i, Index t) {
  const auto row_i = beyond(by_row.row(i), t);
  if (row_i.empty()) return false;
  for (const Index j : by_column.row(t)) {
    if (j >= t && share_an_element(row_i, beyond(by_row.row(j), t))) return true;
  }
  return false;
}

}  // namespace

std::vector<std::vector<Index>> dependencies(const ColumnPattern& pattern, DependencyRule rule) {
  const CsrPattern& by_row = pattern.rows;
  const CsrPattern by_column = transpose(by_row.view());
  std::vector<std::vector<Index>> result(at(by_row.n_rows));
  for (Index k = 0; k < by_row.n_rows; ++k) {
    std::vector<Index>& list = result[at(k)];
    for (const Index i : by_column.row(k)) {
      if (i < k && !beyond(by_column.row(i), i).empty()) list.push_back(i);
    }
    if (rule == DependencyRule::glu1) continue;
    for (const Index i : by_row.row(k)) {
      if (i >= k) break;
      if (rule == DependencyRule::relaxed || is_double_u(by_row, by_column, i, k)) {
        list.push_back(i);
      }
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return result;
}

ColumnSchedule levelize(const ColumnPattern& pattern, DependencyRule rule) {
  ColumnSchedule schedule;
  schedule.rule = rule;
  std::vector<std::vector<Index>> columns_of_level;
  for (const std::vector<Index>& list : dependencies(pattern, rule)) {
    Index level = 0;
    for (const Index i : list) level = std::max(level, schedule.level_of[at(i)] + 1);
    if (at(level) == columns_of_level.size()) columns_of_level.emplace_back();
    columns_of_level[at(level)].push_back(static_cast<Index>(schedule.level_of.size()));
    schedule.level_of.push_back(level);
  }
  schedule.level_ptr.push_back(0);
  for (const std::vector<Index>& columns : columns_of_level) {
    schedule.columns.insert(schedule.columns.end(), columns.begin(), columns.end());
    schedule.level_ptr.push_back(static_cast<Index>(schedule.columns.size()));
  }
  return schedule;
}

}  // namespace lufact::reference
