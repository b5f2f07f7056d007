// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/product_matching.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr int reduction_sweeps = 2;
constexpr Offset worthwhile_entries = 1 << 15;  // below, threads cost more than they save

}  // namespace

ProductMatching::ProductMatching(const PatternView& pattern, std::span<const double> costs,
                                 int threads)
    : pattern_(pattern),
      costs_(costs),
      threads_(threads_for(pattern.nnz(), worthwhile_entries, threads)),
      rows_(pattern.n_rows),
      columns_(pattern.n_cols),
      heap_(columns_) {}

// Lowers minima[j] to the least offer(p, i) of the entries p of column j, i being their rows. The
// least of some numbers does not depend on their order.
template <class Offer>
void ProductMatching::lower_to_column_minima(std::span<double> minima, const Offer& offer) const {
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads_) if (threads_ > 1)
  for (Index i = 0; i < pattern_.n_rows; ++i) {
    for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
      const double value = offer(p, i);
      double& place = minima[pattern_.col_idx[p]];
      if (threads_ == 1) {
        place = std::min(place, value);
        continue;
      }
      std::atomic_ref<double> minimum(place);
      double known = minimum.load(std::memory_order_relaxed);
      while (value < known &&
             !minimum.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
      }
    }
  }
}

void ProductMatching::start_from_minima() {
  std::vector<double> minima(columns_.size(), infinity);
  lower_to_column_minima(minima, [this](Offset p, Index) { return costs_[p]; });
  for (std::size_t j = 0; j < minima.size(); ++j) {
    columns_[j].dual = minima[j] == infinity ? 0 : minima[j];
  }
  set_row_duals();
  match_diagonal();
  match_greedily();
}

void ProductMatching::start_from_column_duals(std::span<const double> duals) {
  for (std::size_t j = 0; j < duals.size(); ++j) columns_[j].dual = duals[j];
  set_row_duals();
  match_diagonal();
  raise_free_column_duals();
  match_greedily();
}

void ProductMatching::set_row_duals() {
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads_) if (threads_ > 1)
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
  std::vector<double> minima(columns_.size());
  for (std::size_t j = 0; j < minima.size(); ++j) {
    minima[j] = columns_[j].row < 0 ? infinity : -infinity;
  }
  lower_to_column_minima(minima, [this](Offset p, Index i) { return costs_[p] - rows_[i].dual; });
  for (std::size_t j = 0; j < minima.size(); ++j) {
    MatchingColumn& column = columns_[j];
    if (column.row < 0 && minima[j] < infinity) column.dual = minima[j];
  }
}

void ProductMatching::match(Index i, Offset p) noexcept {
  Row& row = rows_[i];
  row.column = pattern_.col_idx[p];
  row.entry = p;
  columns_[row.column].row = i;
}

void ProductMatching::match_greedily() {
  std::vector<Index> free = free_rows();
  const auto matched_directly = [this](Index i) { return match_directly(i); };
  const std::size_t before = free.size();
  std::erase_if(free, matched_directly);
  matched_ += static_cast<Index>(before - free.size());
  if (free.empty()) return;
  std::vector<Offset> next(pattern_.row_ptr.begin(), pattern_.row_ptr.end() - 1);
  for (const Index i : free) matched_ += match_with_one_step(i, next) ? 1 : 0;
}

void ProductMatching::match_diagonal() noexcept {
  Index matched = 0;
#pragma omp parallel for num_threads(threads_) reduction(+ : matched) if (threads_ > 1)
  for (Index i = 0; i < pattern_.n_rows; ++i) {
    const Offset p = find_entry(pattern_, i, i);
    if (p < 0 || !(reduced_cost(p, i) <= 0)) continue;
    match(i, p);
    ++matched;
  }
  matched_ += matched;
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

// The two least costs_[p] - column dual of a row; +infinity where there is none.
struct ProductMatching::LeastTwo {
  Offset first_entry = -1, second_entry = -1;
  double first = infinity, second = infinity;
};

ProductMatching::LeastTwo ProductMatching::least_two(Index i) const noexcept {
  LeastTwo least;
  for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
    const double cost = costs_[p] - columns_[pattern_.col_idx[p]].dual;
    if (cost < least.first) {
      least.second = std::exchange(least.first, cost);
      least.second_entry = std::exchange(least.first_entry, p);
    } else if (cost < least.second) {
      least.second = cost;
      least.second_entry = p;
    }
  }
  return least;
}

void ProductMatching::reduce_free_rows() {
  for (int sweep = 0; sweep < reduction_sweeps; ++sweep) {
    Offset left = pattern_.nnz();
    for (const Index root : free_rows()) {
      for (Index i = root; i >= 0 && left > 0;) {
        left -= pattern_.row_ptr[i + 1] - pattern_.row_ptr[i];
        i = take_cheapest_column(i);
      }
    }
  }
}

// Matches row i and returns the row that must look elsewhere at once, -1 where none must.
Index ProductMatching::take_cheapest_column(Index i) noexcept {
  LeastTwo least = least_two(i);
  if (least.second == infinity) return -1;  // no choice: left to the searches
  const double step = least.second - least.first;
  MatchingColumn* column = &columns_[pattern_.col_idx[least.first_entry]];
  if (step == 0 && column->row >= 0) {
    std::swap(least.first_entry, least.second_entry);
    column = &columns_[pattern_.col_idx[least.first_entry]];
    if (column->row >= 0) return -1;
  }
  rows_[i].dual = least.second;
  column->dual -= step;
  const Index other = column->row;
  if (other >= 0) {
    rows_[other].column = -1;
    rows_[other].entry = -1;
  } else {
    ++matched_;
  }
  match(i, least.first_entry);
  return other;
}

std::vector<Index> ProductMatching::free_rows() const {
  std::vector<Index> free;
  for (Index i = 0; i < pattern_.n_rows; ++i) {
    if (rows_[i].column < 0) free.push_back(i);
  }
  return free;
}

Index ProductMatching::match_optimally() {
  reduce_free_rows();
  for (const Index i : free_rows()) matched_ += augment_from(i) ? 1 : 0;
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
