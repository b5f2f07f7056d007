// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/validate_supernodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace lufact {
namespace {

std::span<const Index> row_of_u(const ColumnPattern& pattern, Index row) {
  const auto columns = pattern.rows.row(row);
  return {std::ranges::find(columns, row), columns.end()};
}

// Whether `row` continues the range that `leader` starts and that reaches to the row before.
bool continues(const ColumnPattern& pattern, Index leader, Index row) {
  if (find_entry(pattern.rows.view(), row, leader) < 0) return false;
  const auto before = row_of_u(pattern, row - 1).subspan(1);
  return std::ranges::equal(before, row_of_u(pattern, row));
}

std::string find_partition_fault(const ColumnPattern& pattern, Index most_rows) {
  const std::vector<Index>& starts = pattern.supernodes;
  const Index n = pattern.rows.n_rows;
  if (starts.empty()) return "there are no supernodes";
  if (starts.front() != 0 || starts.back() != n) {
    return fmt::format("the supernodes go from row {} to row {}, the matrix from 0 to {}",
                       starts.front(), starts.back(), n);
  }
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    if (starts[s] >= starts[s + 1]) {
      return fmt::format("supernode {} goes from row {} to row {}", s, starts[s], starts[s + 1]);
    }
    if (starts[s] / most_rows != (starts[s + 1] - 1) / most_rows) {
      return fmt::format("the supernode of row {} goes across a multiple of {}", starts[s],
                         most_rows);
    }
  }
  return {};
}

std::string find_row_fault(const ColumnPattern& pattern, Index most_rows) {
  const std::vector<Index>& starts = pattern.supernodes;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    for (Index row = starts[s] + 1; row < starts[s + 1]; ++row) {
      if (!continues(pattern, starts[s], row)) {
        return fmt::format("row {} is in the supernode of row {} and does not belong there", row,
                           starts[s]);
      }
    }
    const Index next = starts[s + 1];
    if (next < pattern.rows.n_rows && next % most_rows != 0 &&
        continues(pattern, starts[s], next)) {
      return fmt::format("row {} starts a supernode and belongs to that of row {}", next,
                         starts[s]);
    }
  }
  return {};
}

}  // namespace

ValidatorVerdict validate_supernodes(const ColumnPattern& pattern, Index most_rows) {
  ValidatorVerdict verdict;
  verdict.method = "supernodes";
  verdict.message = find_partition_fault(pattern, most_rows);
  if (verdict.message.empty()) verdict.message = find_row_fault(pattern, most_rows);
  verdict.passed = verdict.message.empty();
  return verdict;
}

}  // namespace lufact
