// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/validate_schedule.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace lufact {
namespace {

std::string find_size_fault(Index n, const ColumnSchedule& schedule) {
  if (schedule.level_of.size() != at(n) || schedule.columns.size() != at(n)) {
    return fmt::format("level_of has {} entries and columns {} for {} columns",
                       schedule.level_of.size(), schedule.columns.size(), n);
  }
  if (schedule.level_ptr.empty() || schedule.level_ptr.front() != 0 ||
      schedule.level_ptr.back() != n) {
    return fmt::format("level_ptr does not run from 0 to {}", n);
  }
  for (Index l = 0; l < schedule.levels(); ++l) {
    if (schedule.level_ptr[at(l)] >= schedule.level_ptr[at(l) + 1]) {
      return fmt::format("level {} is empty", l);
    }
  }
  return {};
}

// Strictly ascending columns whose level_of is the level they stand in: with as many places as
// columns, each column stands exactly once.
std::string find_partition_fault(Index n, const ColumnSchedule& schedule) {
  for (Index l = 0; l < schedule.levels(); ++l) {
    Index previous = -1;
    for (Index p = schedule.level_ptr[at(l)]; p < schedule.level_ptr[at(l) + 1]; ++p) {
      const Index j = schedule.columns[at(p)];
      if (j < 0 || j >= n) return fmt::format("level {} holds column {}", l, j);
      if (j <= previous) {
        return fmt::format("level {} has column {} after column {}", l, j, previous);
      }
      if (schedule.level_of[at(j)] != l) {
        return fmt::format("column {} stands in level {}, but its level_of is {}", j, l,
                           schedule.level_of[at(j)]);
      }
      previous = j;
    }
  }
  return {};
}

// Whether column i of L has an entry.
std::vector<bool> find_columns_with_l(const ColumnPattern& pattern) {
  std::vector<bool> has_l(at(pattern.rows.n_rows), false);
  for (Index t = 0; t < pattern.rows.n_rows; ++t) {
    for (const Index i : pattern.rows.row(t)) {
      if (i >= t) break;
      has_l[at(i)] = true;
    }
  }
  return has_l;
}

std::string hazard(const ColumnSchedule& schedule, Index first, Index second,
                   const std::string& why) {
  return fmt::format("column {} (level {}) must come after column {} (level {}): {}", second,
                     schedule.level_of[at(second)], first, schedule.level_of[at(first)], why);
}

std::string find_hazard(const ColumnPattern& pattern, const ColumnSchedule& schedule) {
  const auto& level_of = schedule.level_of;
  const std::vector<bool> has_l = find_columns_with_l(pattern);
  for (Index t = 0; t < pattern.rows.n_rows; ++t) {
    for (const Index k : pattern.rows.row(t)) {
      if (k < t && level_of[at(t)] <= level_of[at(k)]) {
        const Index last = pattern.rows.row(k).back();
        if (last > t) {
          return hazard(schedule, k, t,
                        fmt::format("double-U, by L({},{}) and U({},{})", t, k, k, last));
        }
        if (schedule.rule == DependencyRule::relaxed) {
          return hazard(schedule, k, t, fmt::format("L({},{})", t, k));
        }
      }
      if (k > t && has_l[at(t)] && level_of[at(k)] <= level_of[at(t)]) {
        return hazard(schedule, t, k, fmt::format("U({},{})", t, k));
      }
    }
  }
  return {};
}

}  // namespace

ValidatorVerdict validate_column_schedule(const ColumnPattern& pattern,
                                          const ColumnSchedule& schedule) {
  const Index n = pattern.rows.n_rows;
  std::string fault = find_size_fault(n, schedule);
  if (fault.empty()) fault = find_partition_fault(n, schedule);
  if (fault.empty()) fault = find_hazard(pattern, schedule);
  return {fault.empty(), "column-schedule", std::move(fault)};
}

}  // namespace lufact
