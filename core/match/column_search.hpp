// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "core/match/augmenting_paths.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

// Searches augmenting paths from the columns of a problem whose given state has rows as sources.
// Works on a copy of the state and on the transposed graph without entries of infinite cost.
// Pattern and costs must outlive the object. Duals must be feasible: no search from the rows may
// have failed.
class ColumnSearch {
 public:
  ColumnSearch(const PatternView& by_row, std::span<const double> costs,
               const AssignmentState& rows);

  // The first call transposes the graph and reduces the free columns.
  AugmentingPaths& paths();
  // Columns are sources.
  const AssignmentState& state() const noexcept { return state_; }

 private:
  void transpose();

  PatternView by_row_;
  std::span<const double> row_costs_;
  AssignmentState state_;
  std::vector<Offset> col_ptr_;
  nd::Buffer<Index> row_idx_;
  nd::Buffer<double> costs_;
  std::optional<AugmentingPaths> paths_;
};

}  // namespace lufact
