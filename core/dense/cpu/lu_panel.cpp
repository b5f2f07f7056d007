// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/cpu/lu_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lufact {
namespace {

constexpr Index strip_columns = 8;
// Rows that a thread takes at a time; a multiple of row_unit. The pieces start at multiples of it,
// so that a row has the same thread in every step.
constexpr Index piece_rows = 256;

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
    body(std::max(begin, first), std::min(end, begin + piece_rows));
  });
}

// target[i] -= lower[i] * factor.
template <class T>
void subtract(const T* lower, T factor, T* target, Index begin, Index end) {
  for (Index i = begin; i < end; ++i) target[i] -= lower[i] * factor;
}

template <class T>
void divide(T* column, T pivot, Index begin, Index end) {
  if (pivot == 0) return;  // as getrf: such a column is not scaled
  if (has_reciprocal(pivot)) {
    const T reciprocal = T(1) / pivot;
    for (Index i = begin; i < end; ++i) column[i] *= reciprocal;
  } else {
    for (Index i = begin; i < end; ++i) column[i] /= pivot;
  }
}

// Rows [begin, end) of columns [first, first + width), without exchanges: pivots are those of the
// rows `first` on.
template <class T>
void eliminate_rows(const PaddedColumns<T>& a, Index first, Index width, Index begin, Index end) {
  for (Index k = first; k < first + width; ++k) {
    const Index below = std::max(begin, k + 1);
    divide(&a(0, k), a(k, k), below, end);
    for (Index j = k + 1; j < first + width; ++j) {
      subtract(&a(0, k), a(k, j), &a(0, j), below, end);
    }
  }
}

}  // namespace

template <class T>
LuPanel<T>::LuPanel(ArrayPivoting pivoting, Index widest, int threads)
    : pivoting_(pivoting), widest_(widest), candidates_(at(threads)) {
  upper_.resize(at(Offset{strip_columns} * widest));
}

template <class T>
void LuPanel<T>::eliminate(const ThreadTeam& team, const PaddedColumns<T>& a, Index first,
                           Index width, std::int32_t* pivots, std::int32_t& info) {
  const Index end = first + width;
  if (team.leads()) std::ranges::fill(candidates_, Candidate{});  // the team may have shrunk
  team.wait();
  for (Index strip = first; strip < end; strip += strip_columns) {
    const Index strip_width = std::min(strip_columns, end - strip);
    if (pivoting_ == ArrayPivoting::none) {
      eliminate_strip(team, a, strip, strip_width, info);
    } else {
      eliminate_strip_with_exchanges(team, a, strip, strip_width, pivots, info);
      team.share(width - strip_width, [&](Offset other) {
        const Index before = strip - first;
        const auto column = static_cast<Index>(first + other + (other < before ? 0 : strip_width));
        for (Index k = strip; k < strip + strip_width; ++k) {
          std::swap(a(k, column), a(pivots[k] - 1, column));
        }
      });
      team.wait();
    }
    if (strip + strip_width < end) update_behind(team, a, strip, strip_width, end);
  }
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

template <class T>
void LuPanel<T>::eliminate_strip_with_exchanges(const ThreadTeam& team, const PaddedColumns<T>& a,
                                                Index first, Index width, std::int32_t* pivots,
                                                std::int32_t& info) {
  for (Index k = first; k < first + width; ++k) {
    candidates_[at(team.rank())] = own_candidate(team, a, k);
    team.wait();
    if (team.leads()) {
      const Candidate pivot = chosen(a, k);
      pivots[k] = pivot.row + 1;
      if (pivot.size == 0 && info == 0) info = k + 1;
      for (Index j = first; j < first + width && pivot.row != k; ++j) {
        std::swap(a(k, j), a(pivot.row, j));
      }
    }
    team.wait();
    share_rows(team, k + 1, a.rows, [&](Index begin, Index end) {
      divide(&a(0, k), a(k, k), begin, end);
      for (Index j = k + 1; j < first + width; ++j) {
        subtract(&a(0, k), a(k, j), &a(0, j), begin, end);
      }
    });
  }
  team.wait();
}

// A NaN is never larger than anything.
template <class T>
auto LuPanel<T>::own_candidate(const ThreadTeam& team, const PaddedColumns<T>& a, Index k) const
    -> Candidate {
  Candidate best;
  const T* const column = &a(0, k);
  share_rows(team, k, a.rows, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      if (std::abs(column[i]) > best.size) best = {std::abs(column[i]), i};
    }
  });
  return best;
}

// A NaN in the pivot's own row stays the pivot, as in LAPACK.
template <class T>
auto LuPanel<T>::chosen(const PaddedColumns<T>& a, Index k) const -> Candidate {
  Candidate best{std::abs(a(k, k)), k};
  for (const Candidate& candidate : candidates_) {
    const bool earlier = candidate.size == best.size && candidate.row < best.row;
    if (candidate.size > best.size || earlier) best = candidate;
  }
  return best;
}

// Columns behind a strip in its panel: U of the strip's rows, then the rows below.
template <class T>
void LuPanel<T>::update_behind(const ThreadTeam& team, const PaddedColumns<T>& a, Index strip,
                               Index strip_width, Index end) {
  const Index behind = strip + strip_width;
  team.share(end - behind, [&](Offset column) {
    const auto j = static_cast<Index>(behind + column);
    for (Index k = strip; k < behind; ++k) {
      const T u = a(k, j);
      upper_[at(Offset{k - strip} * widest_ + column)] = u;
      subtract(&a(0, k), u, &a(0, j), k + 1, std::min(a.rows, behind));
    }
  });
  team.wait();
  if (behind < a.rows) {
    share_rows(team, behind, a.padded_rows, [&](Index begin, Index stop) {
      dense_kernels<T>().multiply(&a(begin, behind), a.stride, &a(begin, strip), a.stride,
                                  upper_.data(), Offset{widest_}, stop - begin, end - behind,
                                  strip_width, false);
    });
  }
  team.wait();
}

template class LuPanel<float>;
template class LuPanel<double>;

}  // namespace lufact
