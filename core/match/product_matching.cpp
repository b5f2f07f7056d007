// SPDX-License-Identifier: BSD-3-Clause
#include "core/match/product_matching.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "core/match/column_search.hpp"
#include "core/match/entropic_duals.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_entries = 1 << 15;  // below, threads cost more than they save

void lower(double& place, double value, bool shared) noexcept {
  if (!shared) {
    place = std::min(place, value);
    return;
  }
  std::atomic_ref<double> minimum(place);
  double known = minimum.load(std::memory_order_relaxed);
  while (value < known && !minimum.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

ProductMatching::ProductMatching(const PatternView& pattern, std::span<const double> costs,
                                 int threads)
    : pattern_(pattern),
      costs_(costs),
      threads_(threads_for(pattern.nnz(), worthwhile_entries, threads)),
      state_(pattern.n_rows, pattern.n_cols) {}

// The least offer(p, i) of the entries p of each column, i being their rows, and `unless` where
// that is not finite. The least of some numbers does not depend on their order.
template <class Offer>
nd::Buffer<double> ProductMatching::column_minima(double unless, const Offer& offer) const {
  nd::Buffer<double> minima(pattern_.n_cols);
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
  {
#pragma omp for
    for (Index j = 0; j < pattern_.n_cols; ++j) minima[j] = infinity;
#pragma omp for schedule(dynamic, 1024)
    for (Index i = 0; i < pattern_.n_rows; ++i) {
      for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
        lower(minima[pattern_.col_idx[p]], offer(p, i), threads_ > 1);
      }
    }
#pragma omp for
    for (Index j = 0; j < pattern_.n_cols; ++j) {
      if (minima[j] == infinity) minima[j] = unless;
    }
  }
  return minima;
}

void ProductMatching::start_from_minima() {
  const nd::Buffer<double> minima = column_minima(0, [this](Offset p, Index) { return costs_[p]; });
  start_with(minima);
  match_greedily();
}

void ProductMatching::start_from_column_duals(std::span<const double> duals) {
  start_with(duals);
  raise_free_column_duals();
  match_greedily();
}

// The largest row duals that go with these column duals. A diagonal entry that they make tight is
// matched.
void ProductMatching::start_with(std::span<const double> column_duals) {
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
  {
#pragma omp for
    for (Index j = 0; j < pattern_.n_cols; ++j) {
      state_.targets[j] = unreached_target(column_duals[j]);
      state_.source_of_target[j] = -1;
    }
#pragma omp for schedule(dynamic, 1024)
    for (Index i = 0; i < pattern_.n_rows; ++i) {
      double smallest = infinity;
      Offset diagonal = -1;
      for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
        const Index j = pattern_.col_idx[p];
        smallest = std::min(smallest, costs_[p] - column_duals[j]);
        diagonal = j == i ? p : diagonal;
      }
      state_.sources[i] = free_source(smallest == infinity ? 0 : smallest);
      if (diagonal >= 0 && reduced_cost(diagonal, i) <= 0) match(i, diagonal);
    }
  }
}

// Where no row is tight at a free column its dual can grow, which gives greedy matching an entry.
void ProductMatching::raise_free_column_duals() {
  const nd::Buffer<double> minima = column_minima(
      -infinity, [this](Offset p, Index i) { return costs_[p] - state_.sources[i].dual; });
#pragma omp parallel for num_threads(threads_) if (threads_ > 1)
  for (Index j = 0; j < pattern_.n_cols; ++j) {
    if (is_free_column(j) && minima[j] > -infinity) state_.targets[j].dual = minima[j];
  }
}

void ProductMatching::match(Index i, Offset p) noexcept {
  SourceVertex& row = state_.sources[i];
  row.target = pattern_.col_idx[p];
  row.entry = p;
  state_.source_of_target[row.target] = i;
}

void ProductMatching::match_greedily() {
  free_rows_ = state_.free_sources();
  std::erase_if(free_rows_, [this](Index i) { return match_directly(i); });
  if (free_rows_.empty()) return;
  std::vector<Index> searched(pattern_.n_rows, 0);
  std::erase_if(free_rows_, [&](Index i) { return match_with_one_step(i, searched); });
}

bool ProductMatching::match_directly(Index i) noexcept {
  for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
    if (is_free_column(pattern_.col_idx[p]) && reduced_cost(p, i) <= 0) {
      match(i, p);
      return true;
    }
  }
  return false;
}

// Row i takes a tight column whose row can move to a free column. `searched` counts the entries of
// each row that have been searched, since columns never become free again: O(nnz) over all calls.
bool ProductMatching::match_with_one_step(Index i, std::vector<Index>& searched) noexcept {
  for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
    if (!(reduced_cost(p, i) <= 0)) continue;
    const Index other = state_.source_of_target[pattern_.col_idx[p]];
    while (pattern_.row_ptr[other] + searched[other] < pattern_.row_ptr[other + 1]) {
      const Offset q = pattern_.row_ptr[other] + searched[other];
      if (is_free_column(pattern_.col_idx[q]) && reduced_cost(q, other) <= 0) {
        match(other, q);
        match(i, p);
        return true;
      }
      ++searched[other];
    }
  }
  return false;
}

Index ProductMatching::match_optimally() {
  constexpr Index many = 8;  // one row in so many
  const bool small = pattern_.nnz() < worthwhile_entries;
  // A start that several threads make; on one it takes longer than the searches that it saves.
  const bool improves_start = !small && std::ssize(free_rows_) > pattern_.n_rows / many;
  if (improves_start) {
    start_from_column_duals(entropic_column_duals(pattern_, costs_, threads_));
  }
  AugmentingPaths rows(pattern_, costs_, state_, std::move(free_rows_));
  rows.reduce_free_sources();
  const Offset before_other_side = small ? pattern_.nnz() * 8 : pattern_.nnz() * 3 / 2;
  const bool done = rows.search_until(improves_start ? 0 : before_other_side);
  Index left_free = 0;
  if (!done && rows.failures() == 0) {
    left_free = search_from_both_sides(rows);
  } else {
    rows.search_until(std::numeric_limits<Offset>::max());
    left_free = rows.failures();
  }
  matched_ = pattern_.n_rows - left_free;
  return matched_;
}

// A side stops when it is done or has done more work than the other side needed in all. The work
// of a side depends on its own state alone, so that the choice of the side does not depend on
// threads.
Index ProductMatching::search_from_both_sides(AugmentingPaths& rows) {
  ColumnSearch columns(pattern_, costs_, state_);
  const Offset slice = pattern_.nnz() / 8 + 1, before = rows.work();
  constexpr Offset unknown = std::numeric_limits<Offset>::max();
  Offset needed[2] = {unknown, unknown};
  std::atomic<Offset> least = unknown;
  // Whether the side has to go on.
  const auto advance = [&](Offset side, Offset until) {
    AugmentingPaths& paths = side == 0 ? rows : columns.paths();
    const Offset start = side == 0 ? before : 0;
    if (paths.work() - start > least) return false;
    if (!paths.search_until(start + until)) return true;
    needed[side] = paths.work() - start;
    Offset known = least;
    while (needed[side] < known && !least.compare_exchange_weak(known, needed[side])) {
    }
    return false;
  };
  if (threads_ > 1) {
    parallel_for(2, threads_, [&](Offset side) {
      for (Offset until = slice; advance(side, until);) until += slice;
    });
  } else {
    bool goes_on[2] = {true, true};
    for (Offset until = slice; goes_on[0] || goes_on[1]; until += slice) {
      for (const Offset side : {0, 1}) goes_on[side] = goes_on[side] && advance(side, until);
    }
  }
  if (needed[0] <= needed[1]) return rows.failures();
  adopt(columns.state());
  return columns.paths().failures();
}

void ProductMatching::adopt(const AssignmentState& by_column) noexcept {
#pragma omp parallel for num_threads(threads_) if (threads_ > 1)
  for (Index k = 0; k < pattern_.n_rows; ++k) {
    const Index column = by_column.source_of_target[k];
    state_.sources[k] = {.dual = by_column.targets[k].dual,
                         .entry = column < 0 ? -1 : find_entry(pattern_, k, column),
                         .target = column};
    state_.targets[k].dual = by_column.sources[k].dual;
    state_.source_of_target[k] = by_column.sources[k].target;
  }
}

}  // namespace lufact
