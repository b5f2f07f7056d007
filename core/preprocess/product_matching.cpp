// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/product_matching.hpp"

#include <algorithm>

namespace lufact {

ProductMatching::ProductMatching(const PatternView& pattern, std::span<const double> costs)
    : pattern_(pattern),
      costs_(costs),
      rows_(pattern.n_rows),
      columns_(pattern.n_cols),
      heap_(columns_) {}

void ProductMatching::start_from_minima() {
  for (MatchingColumn& column : columns_) column.dual = infinity;
  for (Offset p = 0; p < pattern_.nnz(); ++p) {
    double& dual = columns_[pattern_.col_idx[p]].dual;
    dual = std::min(dual, costs_[p]);
  }
  for (MatchingColumn& column : columns_) {
    if (column.dual == infinity) column.dual = 0;
  }
  set_row_duals();
  match_diagonal();
  match_greedily();
}

void ProductMatching::start_from_column_duals(std::span<const double> duals) {
  for (Index j = 0; j < pattern_.n_cols; ++j) columns_[j].dual = duals[j];
  set_row_duals();
  match_diagonal();
  raise_free_column_duals();
  match_greedily();
}

void ProductMatching::set_row_duals() {
  for (Index i = 0; i < pattern_.n_rows; ++i) {
    double smallest = infinity;
    for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
      smallest = std::min(smallest, costs_[p] - columns_[pattern_.col_idx[p]].dual);
    }
    rows_[i].dual = smallest == infinity ? 0 : smallest;
  }
}

// Where no row is tight at a free column its dual can grow, which gives greedy matching an entry.
void ProductMatching::raise_free_column_duals() {
  for (MatchingColumn& column : columns_) {
    if (column.row < 0) column.distance = infinity;
  }
  for (Index i = 0; i < pattern_.n_rows; ++i) {
    for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
      MatchingColumn& column = columns_[pattern_.col_idx[p]];
      if (column.row < 0) column.distance = std::min(column.distance, costs_[p] - rows_[i].dual);
    }
  }
  for (MatchingColumn& column : columns_) {
    if (column.row >= 0) continue;
    if (column.distance < infinity) column.dual = column.distance;
    column.distance = infinity;
  }
}

void ProductMatching::match(Index i, Offset p) noexcept {
  rows_[i].column = pattern_.col_idx[p];
  rows_[i].entry = p;
  columns_[rows_[i].column].row = i;
}

void ProductMatching::match_greedily() {
  std::vector<Offset> next(pattern_.row_ptr.begin(), pattern_.row_ptr.end() - 1);
  for (Index i = 0; i < pattern_.n_rows; ++i) {
    if (rows_[i].column < 0 && match_directly(i)) ++matched_;
  }
  for (Index i = 0; i < pattern_.n_rows; ++i) {
    if (rows_[i].column < 0 && match_with_one_step(i, next)) ++matched_;
  }
}

void ProductMatching::match_diagonal() noexcept {
  for (Index i = 0; i < pattern_.n_rows; ++i) {
    const Offset p = find_entry(pattern_, i, i);
    if (p >= 0 && reduced_cost(p, i) <= 0) {
      match(i, p);
      ++matched_;
    }
  }
}

bool ProductMatching::match_directly(Index i) noexcept {
  for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
    if (columns_[pattern_.col_idx[p]].row < 0 && reduced_cost(p, i) <= 0) {
      match(i, p);
      return true;
    }
  }
  return false;
}

// Row i takes a tight column whose row can move to a free column. `next` remembers how far each
// row has been searched, since columns never become free again: O(nnz) over all calls.
bool ProductMatching::match_with_one_step(Index i, std::vector<Offset>& next) noexcept {
  for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
    if (!(reduced_cost(p, i) <= 0)) continue;
    const Index other = columns_[pattern_.col_idx[p]].row;
    for (Offset& q = next[other]; q < pattern_.row_ptr[other + 1]; ++q) {
      if (columns_[pattern_.col_idx[q]].row < 0 && reduced_cost(q, other) <= 0) {
        match(other, q);
        match(i, p);
        return true;
      }
    }
  }
  return false;
}

Index ProductMatching::match_optimally() {
  for (Index i = 0; i < pattern_.n_rows; ++i) {
    if (rows_[i].column < 0 && augment_from(i)) ++matched_;
  }
  return matched_;
}

bool ProductMatching::augment_from(Index root) {
  path_length_ = infinity;
  last_distance_ = 0;
  scan_row(root, 0);
  for (Index j = next_column(); j >= 0; j = next_column()) {
    scanned_.push_back(j);
    last_distance_ = columns_[j].distance;
    scan_row(columns_[j].row, last_distance_);
  }
  const bool found = path_length_ < infinity;
  if (found) {
    flip_path(root);
    update_duals(root);
    forget_search();
  } else {
    abandon_reached_columns();
  }
  return found;
}

// Relaxes the entries of row i, whose distance from the root is given.
void ProductMatching::scan_row(Index i, double distance) {
  const double base = distance - rows_[i].dual;
  for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
    const Index j = pattern_.col_idx[p];
    const MatchingColumn& column = columns_[j];
    // Rounding may leave a reduced cost a few units below zero.
    const double through = std::max(distance, base + costs_[p] - column.dual);
    if (!(through < std::min(path_length_, column.distance))) continue;
    if (column.row < 0) {
      path_length_ = through;
      path_entry_ = p;
      path_row_ = i;
    } else {
      reach(j, i, p, through);
    }
  }
}

void ProductMatching::reach(Index j, Index i, Offset p, double distance) {
  MatchingColumn& column = columns_[j];
  if (column.distance == infinity) reached_.push_back(j);
  column.distance = distance;
  column.entry = p;
  column.reached_from = i;
  if (distance <= last_distance_) {
    if (column.heap_place >= 0) heap_.remove(j);
    nearest_.push_back(j);
  } else {
    heap_.update(j);
  }
}

// The unscanned column of smallest distance, or -1 where none can shorten the best path.
Index ProductMatching::next_column() {
  Index j = -1;
  if (!nearest_.empty()) {
    j = nearest_.back();
    nearest_.pop_back();
  } else if (!heap_.empty()) {
    j = heap_.top();
    heap_.pop();
  }
  return j >= 0 && columns_[j].distance < path_length_ ? j : -1;
}

void ProductMatching::flip_path(Index root) noexcept {
  Index i = path_row_;
  Offset p = path_entry_;
  while (true) {
    const Index previous = rows_[i].column;
    match(i, p);
    if (i == root) return;
    p = columns_[previous].entry;
    i = columns_[previous].reached_from;
  }
}

void ProductMatching::update_duals(Index root) noexcept {
  for (const Index j : scanned_) columns_[j].dual += columns_[j].distance - path_length_;
  const auto tighten = [this](Index i) {
    rows_[i].dual = costs_[rows_[i].entry] - columns_[rows_[i].column].dual;
  };
  for (const Index j : scanned_) tighten(columns_[j].row);
  tighten(columns_[pattern_.col_idx[path_entry_]].row);
  tighten(root);
}

void ProductMatching::forget_search() noexcept {
  for (const Index j : reached_) columns_[j].distance = infinity;
  heap_.clear();
  nearest_.clear();
  reached_.clear();
  scanned_.clear();
}

// A distance of -infinity keeps a column out of every later search.
void ProductMatching::abandon_reached_columns() noexcept {
  for (const Index j : reached_) columns_[j].distance = -infinity;
  reached_.clear();
  forget_search();
}

}  // namespace lufact
