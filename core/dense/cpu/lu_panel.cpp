// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/cpu/lu_panel.hpp"

#include <algorithm>
#include <utility>

namespace lufact {
namespace {

constexpr Index some_columns = 8;  // of what is shared by columns

// Calls body(begin, end) for this thread's parts of columns [first, last).
template <class Body>
void share_columns(const ThreadTeam& team, Index first, Index last, const Body& body) {
  team.share((Offset{last} - first + some_columns - 1) / some_columns, [&](Offset part) {
    const auto begin = static_cast<Index>(first + part * some_columns);
    body(begin, std::min(last, begin + some_columns));
  });
}

// As getrf: a column under a zero is not scaled, and one under a number without a reciprocal is
// divided. True where rows [begin, end) still are to be multiplied by the reciprocal.
template <class T>
bool scales_by_reciprocal(T* column, T pivot, Index begin, Index end) {
  if (pivot == 0) return false;
  if (has_reciprocal(pivot)) return true;
  for (Index i = begin; i < end; ++i) column[i] /= pivot;
  return false;
}

// Rows [begin, end) of columns [k, last), which become those behind the elimination of column k
// with the pivot row `u`, column k's pivot first.
template <class T>
void eliminate_column(const PaddedColumns<T>& a, Index k, Index last, const T* u, Index begin,
                      Index end) {
  if (begin >= end) return;
  const T factor = scales_by_reciprocal(&a(0, k), u[0], begin, end) ? T(1) / u[0] : T(1);
  if (begin % row_unit == 0 && (end - begin) % row_unit == 0) {
    return dense_kernels<T>().eliminate(&a(begin, k), a.stride, end - begin, factor, u + 1,
                                        last - k - 1);
  }
  for (Index i = begin; i < end; ++i) {
    a(i, k) *= factor;
    for (Index j = k + 1; j < last; ++j) a(i, j) -= a(i, k) * u[j - k];
  }
}

// Rows [begin, end) of columns [first, first + width), without exchanges: pivots are those of the
// rows `first` on.
template <class T>
void eliminate_rows(const PaddedColumns<T>& a, Index first, Index width, Index begin, Index end) {
  for (Index k = first; k < first + width; ++k) {
    T u[strip_columns];
    for (Index j = k; j < first + width; ++j) u[j - k] = a(k, j);
    eliminate_column(a, k, first + width, u, std::max(begin, k + 1), end);
  }
}

}  // namespace

template <class T>
void exchange_rows(const PaddedColumns<T>& a, std::span<const std::int32_t> pivots, Index first,
                   Index last, Index begin, Index end) {
  for (Index j = begin; j < end; ++j) {
    for (Index k = first; k < last; ++k) std::swap(a(k, j), a(pivots[at(k)] - 1, j));
  }
}

template <class T>
void solve_upper(const PaddedColumns<T>& a, Index first, Index width, Index begin, Index end,
                 T* upper, Offset stride) {
  const Index columns = end - begin, padded = round_up(columns, row_unit);
  for (Index k = 0; k < width; ++k) {
    for (Index j = 0; j < columns; ++j) upper[k * stride + j] = a(first + k, begin + j);
    std::fill(upper + k * stride + columns, upper + k * stride + padded, T(0));
  }
  dense_kernels<T>().solve(upper, stride, padded, &a(first, first), a.stride, nullptr, width);
  for (Index j = 0; j < columns; ++j) {
    for (Index k = 0; k < width; ++k) a(first + k, begin + j) = upper[k * stride + j];
  }
}

template <class T>
LuPanel<T>::LuPanel(ArrayPivoting pivoting, Index widest, int threads,
                    std::span<std::int32_t> pivots)
    : pivoting_(pivoting),
      widest_(widest),
      pivots_(pivots),
      pivoted_strip_(threads),
      strip_exchange_(widest),
      upper_(at(Offset{widest} * widest)) {}

template <class T>
void LuPanel<T>::eliminate(const ThreadTeam& team, const PaddedColumns<T>& a, Index first,
                           Index width, std::int32_t& info) {
  eliminate_part({.team = team,
                  .a = a,
                  .first = first,
                  .last = first + width,
                  .rows = RowRuns(first, a.padded_rows, team.size()),
                  .info = info},
                 first, width);
  team.wait();
}

// Behind it a thread knows that its own rows are eliminated, and who has a strip's top rows that
// they are; of others it knows that they have begun the last strip.
template <class T>
void LuPanel<T>::eliminate_part(const Panel& panel, Index first, Index width) {
  if (width > strip_columns) {
    const Index left = round_up(width / 2, strip_columns);
    eliminate_part(panel, first, left);
    join_halves(panel, first, left, width - left);
    eliminate_part(panel, first + left, width - left);
  } else if (pivoting_ == ArrayPivoting::none) {
    eliminate_strip(panel, first, width);
  } else {
    eliminate_strip_with_exchanges(panel, first, width);
  }
}

// The right half of a panel, whose left half is eliminated.
template <class T>
void LuPanel<T>::join_halves(const Panel& panel, Index first, Index left, Index right) {
  const Index middle = first + left;
  solve_upper_of_right(panel, first, left, right);
  panel.team.wait();
  panel.for_own_rows(middle, [&](Index begin, Index end) {
    dense_kernels<T>().multiply(&panel.a(begin, middle), panel.a.stride, &panel.a(begin, first),
                                panel.a.stride, upper_.data(), Offset{widest_}, end - begin, right,
                                left, false);
  });
}

// A few rows are solved by the thread that has them, which takes less time than a wait.
template <class T>
void LuPanel<T>::solve_upper_of_right(const Panel& panel, Index first, Index left, Index right) {
  constexpr Index few_rows = 2 * strip_columns;
  const Index middle = first + left;
  const auto solve = [&](Index begin, Index end) {
    solve_upper(panel.a, first, left, begin, end, upper_.data() + (begin - middle),
                Offset{widest_});
  };
  const bool one_has_all = panel.rows.owner(first) == panel.rows.owner(middle - 1);
  if (pivoting_ != ArrayPivoting::none && left <= few_rows && one_has_all) {
    if (panel.has_row(first)) solve(middle, middle + right);
    return;
  }
  if (pivoting_ != ArrayPivoting::none) panel.team.wait();  // for exchanges
  share_columns(panel.team, middle, middle + right, solve);
}

// Who has the rows of the strip's own numbers eliminates them, then all those below.
template <class T>
void LuPanel<T>::eliminate_strip(const Panel& panel, Index first, Index width) {
  const Index below = first + width;
  const PaddedColumns<T>& a = panel.a;
  if (panel.has_row(first)) {
    eliminate_rows(a, first, width, first, below);
    by_division_ = false;
    for (Index k = 0; k < width; ++k) {
      const T pivot = a(first + k, first + k);
      if (pivot == 0 && panel.info == 0) panel.info = first + k + 1;
      by_division_ = by_division_ || !has_reciprocal(pivot);
      inverse_[k] = T(1) / pivot;
      for (Index j = k + 1; j < width; ++j) {
        strip_upper_[k * diagonal_block + j] = a(first + k, first + j);
      }
    }
  }
  panel.team.wait();
  panel.for_own_rows(below, [&](Index begin, Index end) {
    if (by_division_ || width < strip_columns) {
      eliminate_rows(a, first, width, begin, end);
    } else {
      dense_kernels<T>().solve(&a(begin, first), a.stride, end - begin, strip_upper_,
                               Offset{diagonal_block}, inverse_, width);
    }
  });
}

template <class T>
void LuPanel<T>::eliminate_strip_with_exchanges(const Panel& panel, Index first, Index width) {
  Index pivots[strip_columns];
  const auto of_strip = std::span(pivots).first(at(width));
  const std::int32_t zero =
      pivoted_strip_.eliminate(panel.team, panel.a, panel.rows, first, of_strip);
  if (panel.team.leads()) {
    if (panel.info == 0) panel.info = zero;
    for (Index k = 0; k < width; ++k) pivots_[at(first + k)] = pivots[k] + 1;
  }
  strip_exchange_.apply(panel.team, panel.a, panel.rows, first, of_strip, panel.first, panel.last);
}

#define LUFACT_LU_PANEL_OF(T)                                                                    \
  template void exchange_rows<T>(const PaddedColumns<T>&, std::span<const std::int32_t>, Index,  \
                                 Index, Index, Index);                                           \
  template void solve_upper<T>(const PaddedColumns<T>&, Index, Index, Index, Index, T*, Offset); \
  template class LuPanel<T>;
LUFACT_LU_PANEL_OF(float)
LUFACT_LU_PANEL_OF(double)
#undef LUFACT_LU_PANEL_OF

}  // namespace lufact
