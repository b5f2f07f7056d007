// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/triangular.hpp"

#include <algorithm>

namespace lufact {
namespace {

// y -= value * x for `sides` interleaved right-hand sides. The usual counts are constants, so that
// their loops are unrolled.
template <class T>
void subtract_sides(T value, const T* x, T* y, int sides) {
  if (sides == 1) {
    *y -= value * *x;
  } else if (sides == interleaved_sides) {
    for (int s = 0; s < interleaved_sides; ++s) y[s] -= value * x[s];
  } else {
    for (int s = 0; s < sides; ++s) y[s] -= value * x[s];
  }
}

template <class T>
bool all_zero(const T* x, int sides) {
  return std::all_of(x, x + sides, [](T value) { return value == T(0); });
}

}  // namespace

template <class T>
void solve_by_columns(const ColumnStorage& storage, std::span<const T> values, int sides, T* x) {
  const Index n = storage.columns.n_rows;
  const Offset* const ptr = storage.columns.row_ptr.data();
  const Index* const rows = storage.columns.col_idx.data();
  for (Index j = 0; j < n; ++j) {
    const T* const known = x + Offset{j} * sides;
    if (all_zero(known, sides)) continue;
    for (Offset p = storage.diagonal[at(j)] + 1; p < ptr[j + 1]; ++p) {
      subtract_sides(values[at(p)], known, x + Offset{rows[p]} * sides, sides);
    }
  }
  for (Index j = n; j-- > 0;) {
    T* const known = x + Offset{j} * sides;
    const Offset diagonal = storage.diagonal[at(j)];
    for (int s = 0; s < sides; ++s) known[s] /= values[at(diagonal)];
    if (all_zero(known, sides)) continue;
    for (Offset p = ptr[j]; p < diagonal; ++p) {
      subtract_sides(values[at(p)], known, x + Offset{rows[p]} * sides, sides);
    }
  }
}

template <class T>
void solve_transposed_by_columns(const ColumnStorage& storage, std::span<const T> values, int sides,
                                 T* x) {
  const Index n = storage.columns.n_rows;
  const Offset* const ptr = storage.columns.row_ptr.data();
  const Index* const rows = storage.columns.col_idx.data();
  for (Index j = 0; j < n; ++j) {
    T* const own = x + Offset{j} * sides;
    const Offset diagonal = storage.diagonal[at(j)];
    for (Offset p = ptr[j]; p < diagonal; ++p) {
      subtract_sides(values[at(p)], x + Offset{rows[p]} * sides, own, sides);
    }
    for (int s = 0; s < sides; ++s) own[s] /= values[at(diagonal)];
  }
  for (Index j = n; j-- > 0;) {
    T* const own = x + Offset{j} * sides;
    const Offset diagonal = storage.diagonal[at(j)];
    for (Offset p = ptr[j + 1] - 1; p > diagonal; --p) {
      subtract_sides(values[at(p)], x + Offset{rows[p]} * sides, own, sides);
    }
  }
}

template <class T>
LevelSolver<T>::LevelSolver(const CsrPattern& rows, std::span<const Offset> diagonal,
                            UnitFactor unit)
    : rows_(rows), diagonal_(diagonal), unit_(unit) {
  lower_ = make_triangle(true);
  upper_ = make_triangle(false);
}

template <class T>
typename LevelSolver<T>::Triangle LevelSolver<T>::make_triangle(bool lower) const {
  constexpr Offset entries_worth_sharing = 8192;  // about twice the cost of a barrier
  const Index n = rows_.n_rows;
  const auto& ptr = rows_.row_ptr;
  const auto entry = [&](Index i) {
    return lower ? std::pair(ptr[at(i)], diagonal_[at(i)])
                 : std::pair(diagonal_[at(i)] + 1, ptr[at(i) + 1]);
  };
  std::vector<Index> level(at(n), 0);
  for (Index step = 0; step < n; ++step) {
    const Index i = lower ? step : n - 1 - step;
    const auto [begin, end] = entry(i);
    for (Offset p = begin; p < end; ++p) {
      level[at(i)] = std::max(level[at(i)], level[at(rows_.col_idx[at(p)])] + 1);
    }
  }
  Triangle triangle{group_by_level(level), {}};
  for (Index l = 0; l < triangle.sets.levels(); ++l) {
    const Index first = triangle.sets.level_ptr[at(l)];
    const Index last = triangle.sets.level_ptr[at(l) + 1];
    Offset entries = 0;
    for (Index k = first; k < last; ++k) {
      const auto [begin, end] = entry(triangle.sets.items[at(k)]);
      entries += end - begin + 1;
    }
    const bool parallel = entries >= entries_worth_sharing && last - first > 1;
    if (!parallel && !triangle.shares.empty() && !triangle.shares.back().parallel) {
      triangle.shares.back().end = last;
    } else {
      triangle.shares.push_back({first, last, parallel});
    }
  }
  return triangle;
}

template <class T>
void LevelSolver<T>::lower_row(Index i, int sides, T* x) const {
  T* const own = x + Offset{i} * sides;
  const Index* const columns = rows_.col_idx.data();
  const Offset end = diagonal_[at(i)];
  for (Offset p = rows_.row_ptr[at(i)]; p < end; ++p) {
    subtract_sides(values_[at(p)], x + Offset{columns[p]} * sides, own, sides);
  }
  if (unit_ == UnitFactor::upper) divide_by_diagonal(i, sides, x);
}

template <class T>
void LevelSolver<T>::divide_by_diagonal(Index i, int sides, T* x) const {
  T* const own = x + Offset{i} * sides;
  for (int s = 0; s < sides; ++s) own[s] /= values_[at(diagonal_[at(i)])];
}

template <class T>
void LevelSolver<T>::upper_row(Index i, int sides, T* x) const {
  T* const own = x + Offset{i} * sides;
  const Index* const columns = rows_.col_idx.data();
  const Offset diagonal = diagonal_[at(i)];
  for (Offset p = rows_.row_ptr[at(i) + 1] - 1; p > diagonal; --p) {
    subtract_sides(values_[at(p)], x + Offset{columns[p]} * sides, own, sides);
  }
  if (unit_ == UnitFactor::lower) divide_by_diagonal(i, sides, x);
}

template <class T>
template <class Row>
void LevelSolver<T>::sweep(const Triangle& triangle, int threads, const Row& row) const {
  const Index* const items = triangle.sets.items.data();
#pragma omp parallel num_threads(threads)
  for (const Share& share : triangle.shares) {
    if (share.parallel) {
#pragma omp for schedule(static, 4)
      for (Index k = share.begin; k < share.end; ++k) row(items[k]);
    } else {
#pragma omp single
      for (Index k = share.begin; k < share.end; ++k) row(items[k]);
    }
  }
}

template <class T>
void LevelSolver<T>::solve(int sides, T* x, int threads) const {
  sweep(lower_, threads, [=, this](Index i) { lower_row(i, sides, x); });
  sweep(upper_, threads, [=, this](Index i) { upper_row(i, sides, x); });
}

template void solve_by_columns(const ColumnStorage&, std::span<const float>, int, float*);
template void solve_by_columns(const ColumnStorage&, std::span<const double>, int, double*);
template void solve_transposed_by_columns(const ColumnStorage&, std::span<const float>, int,
                                          float*);
template void solve_transposed_by_columns(const ColumnStorage&, std::span<const double>, int,
                                          double*);
template class LevelSolver<float>;
template class LevelSolver<double>;

}  // namespace lufact
