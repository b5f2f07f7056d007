// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/cpu/lu_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lufact {
namespace {

// Rows that a thread takes at a time; a multiple of row_unit. The pieces start at multiples of it,
// so that a row has the same thread in every step.
constexpr Index piece_rows = 128;
constexpr Index some_columns = 8;  // of what is shared by columns

template <class T>
bool has_reciprocal(T pivot) {
  return std::abs(pivot) >= std::numeric_limits<T>::min();
}

// Calls body(begin, end) for this thread's pieces of rows [first, end).
template <class Body>
void share_rows(const ThreadTeam& team, Index first, Index end, const Body& body) {
  const Index before = first / piece_rows;
  team.share((Offset{end} + piece_rows - 1) / piece_rows, [&](Offset piece) {
    if (piece < before) return;
    const auto begin = static_cast<Index>(piece * piece_rows);
    const Index from = std::max(begin, first), to = std::min(end, begin + piece_rows);
    if (from < to) body(from, to);
  });
}

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

template <class T>
void copy_row(const PaddedColumns<T>& a, Index row, Index first, Index width, T* to) {
  for (Index j = 0; j < width; ++j) to[j] = a(row, first + j);
}

template <class T>
void set_row(const PaddedColumns<T>& a, Index row, Index first, Index width, const T* from) {
  for (Index j = 0; j < width; ++j) a(row, first + j) = from[j];
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
    : pivoting_(pivoting), widest_(widest), pivots_(pivots) {
  for (Search& search : searches_) search.candidates.resize(at(threads));
  upper_.resize(at(Offset{widest} * widest));
}

template <class T>
void LuPanel<T>::eliminate(const ThreadTeam& team, const PaddedColumns<T>& a, Index first,
                           Index width, std::int32_t& info) {
  if (width > strip_columns) {
    const Index left = round_up(width / 2, strip_columns);
    eliminate(team, a, first, left, info);
    join_halves(team, a, first, left, width - left);
    eliminate(team, a, first + left, width - left, info);
    if (pivoting_ == ArrayPivoting::none) return;
    share_columns(team, first, first + left, [&](Index begin, Index end) {
      exchange_rows<T>(a, pivots_, first + left, first + width, begin, end);
    });
    team.wait();
  } else if (pivoting_ == ArrayPivoting::none) {
    eliminate_strip(team, a, first, width, info);
  } else {
    eliminate_strip_with_exchanges(team, a, first, width, info);
  }
}

// The right half of a panel, whose left half is eliminated.
template <class T>
void LuPanel<T>::join_halves(const ThreadTeam& team, const PaddedColumns<T>& a, Index first,
                             Index left, Index right) {
  const Index middle = first + left, last = middle + right;
  share_columns(team, middle, last, [&](Index begin, Index end) {
    if (pivoting_ == ArrayPivoting::partial) {
      exchange_rows<T>(a, pivots_, first, middle, begin, end);
    }
    solve_upper(a, first, left, begin, end, upper_.data() + (begin - middle), Offset{widest_});
  });
  team.wait();
  share_rows(team, middle, a.padded_rows, [&](Index begin, Index end) {
    dense_kernels<T>().multiply(&a(begin, middle), a.stride, &a(begin, first), a.stride,
                                upper_.data(), Offset{widest_}, end - begin, right, left, false);
  });
  team.wait();
}

template <class T>
void LuPanel<T>::eliminate_strip(const ThreadTeam& team, const PaddedColumns<T>& a, Index first,
                                 Index width, std::int32_t& info) {
  const Index below = first + width;
  if (team.leads()) {
    eliminate_rows(a, first, width, first, below);
    by_division_ = false;
    for (Index k = 0; k < width; ++k) {
      const T pivot = a(first + k, first + k);
      if (pivot == 0 && info == 0) info = first + k + 1;
      by_division_ = by_division_ || !has_reciprocal(pivot);
      inverse_[k] = T(1) / pivot;
      for (Index j = k + 1; j < width; ++j) {
        strip_upper_[k * diagonal_block + j] = a(first + k, first + j);
      }
    }
  }
  team.wait();
  share_rows(team, below, a.padded_rows, [&](Index begin, Index stop) {
    if (by_division_ || width < strip_columns) {
      eliminate_rows(a, first, width, begin, stop);
    } else {
      dense_kernels<T>().solve(&a(begin, first), a.stride, stop - begin, strip_upper_,
                               Offset{diagonal_block}, inverse_, width);
    }
  });
  team.wait();
}

// The rows of the strip's own numbers are the leader's, those below are shared. A thread knows from
// one wait which row is the pivot's and what is in it and in the one that it changes places with;
// each of the two is written by the thread whose row it is.
template <class T>
void LuPanel<T>::eliminate_strip_with_exchanges(const ThreadTeam& team, const PaddedColumns<T>& a,
                                                Index first, Index width, std::int32_t& info) {
  const Index last = first + width, below = first + strip_columns;
  for (Index k = first; k < last; ++k) {
    Search& search = searches_[at(k % 2)];
    Candidate& own = search.candidates[at(team.rank())];
    own = own_candidate(team, a, first, k);
    if (own.size > 0 || team.leads()) copy_row(a, own.row, first, width, own.entries);
    if (team.leads()) copy_row(a, k, first, width, search.row);
    team.wait();
    const Candidate& pivot = chosen(team, search);
    if (team.leads()) {
      pivots_[at(k)] = pivot.row + 1;
      if (pivot.size == 0 && info == 0) info = k + 1;
      set_row(a, k, first, width, pivot.entries);
    }
    if (pivot.row != k && &pivot == &own) set_row(a, pivot.row, first, width, search.row);
    const T* const u = pivot.entries + (k - first);
    if (team.leads()) eliminate_column(a, k, last, u, k + 1, std::min(below, a.rows));
    share_rows(team, below, a.padded_rows,
               [&](Index begin, Index end) { eliminate_column(a, k, last, u, begin, end); });
  }
  team.wait();
}

// The first of the largest of a thread's rows, of no size where that is zero; the leader's is row k
// where that is NaN, as in LAPACK, and no other NaN is larger than anything.
template <class T>
auto LuPanel<T>::own_candidate(const ThreadTeam& team, const PaddedColumns<T>& a, Index first,
                               Index k) const -> Candidate {
  const Index below = first + strip_columns;
  const T* const column = &a(0, k);
  Candidate best{.row = k};
  if (team.leads()) {
    best.size = std::abs(column[k]);
    for (Index i = k + 1; i < std::min(below, a.rows); ++i) {
      if (std::abs(column[i]) > best.size) {
        best.size = std::abs(column[i]);
        best.row = i;
      }
    }
  }
  share_rows(team, below, a.padded_rows, [&](Index begin, Index end) {
    const T size = dense_kernels<T>().largest(column + begin, end - begin);
    if (!(size > best.size)) return;
    best.size = size;
    best.row = begin + dense_kernels<T>().first_of(column + begin, end - begin, size);
  });
  return best;
}

template <class T>
auto LuPanel<T>::chosen(const ThreadTeam& team, const Search& search) const -> const Candidate& {
  const Candidate* best = search.candidates.data();
  for (const Candidate& candidate : std::span(search.candidates).first(at(team.size()))) {
    const bool earlier = candidate.size == best->size && candidate.row < best->row;
    if (candidate.size > best->size || earlier) best = &candidate;
  }
  return *best;
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
