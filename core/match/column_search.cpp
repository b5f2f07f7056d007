// SPDX-License-Identifier: BSD-3-Clause
#include "core/match/column_search.hpp"

#include <limits>
#include <numeric>

namespace lufact {

ColumnSearch::ColumnSearch(const PatternView& by_row, std::span<const double> costs,
                           const AssignmentState& rows)
    : by_row_(by_row), row_costs_(costs), state_(by_row.n_cols, by_row.n_rows) {
  for (Index j = 0; j < by_row.n_cols; ++j) {
    state_.sources[j] = free_source(rows.targets[j].dual);
    state_.sources[j].target = rows.source_of_target[j];
  }
  for (Index i = 0; i < by_row.n_rows; ++i) {
    state_.targets[i] = unreached_target(rows.sources[i].dual);
    state_.source_of_target[i] = rows.sources[i].target;
  }
}

AugmentingPaths& ColumnSearch::paths() {
  if (!paths_) {
    transpose();
    const PatternView by_column{by_row_.n_cols, by_row_.n_rows, col_ptr_, row_idx_};
    paths_.emplace(by_column, costs_, state_, state_.free_sources());
    paths_->reduce_free_sources();
  }
  return *paths_;
}

void ColumnSearch::transpose() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  col_ptr_.assign(static_cast<std::size_t>(by_row_.n_cols) + 1, 0);
  for (Offset p = 0; p < by_row_.nnz(); ++p) {
    if (row_costs_[p] < infinity) ++col_ptr_[by_row_.col_idx[p] + 1];
  }
  std::partial_sum(col_ptr_.begin(), col_ptr_.end(), col_ptr_.begin());
  row_idx_ = nd::Buffer<Index>(col_ptr_.back());
  costs_ = nd::Buffer<double>(col_ptr_.back());
  std::vector<Offset> next(col_ptr_.begin(), col_ptr_.end() - 1);
  for (Index i = 0; i < by_row_.n_rows; ++i) {
    for (Offset p = by_row_.row_ptr[i]; p < by_row_.row_ptr[i + 1]; ++p) {
      if (!(row_costs_[p] < infinity)) continue;
      const Index j = by_row_.col_idx[p];
      const Offset q = next[j]++;
      row_idx_[q] = i;
      costs_[q] = row_costs_[p];
      if (state_.sources[j].target == i) state_.sources[j].entry = q;
    }
  }
}

}  // namespace lufact
