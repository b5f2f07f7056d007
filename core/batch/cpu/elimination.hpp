// SPDX-License-Identifier: BSD-3-Clause
// LU factorization and triangular solves of a panel: the same operations in every lane, in the
// order of the sequential twin, each rounded on its own. So the bits of a matrix are those of the
// twin, whatever the width of vectors, the lane and its neighbours.
#pragma once
#include "core/batch/cpu/panel_copy.hpp"

namespace lufact {
namespace {

// Columns that are updated together, so that an entry of L is loaded once for all of them.
constexpr Index column_block = 4;

// y := L \ y for C columns, where only the first `limit` columns of L are there: row i takes the
// terms of k < min(i, limit). Two rows at a time.
template <class L, int C>
void forward_block(const typename L::Real* lu, Index n, Index limit, typename L::Real* y) {
  using Vector = typename L::Vector;
  const Offset stride = panel_stride(n);
  for (Index i = 0; i < n; i += 2) {
    const bool two = i + 1 < n;
    const Index second = two ? i + 1 : i;
    Vector low[C], high[C];
    for (int c = 0; c < C; ++c) {
      low[c] = vector_at<L>(y, c * stride + i);
      high[c] = vector_at<L>(y, c * stride + second);
    }
    const Index steps = i < limit ? i : limit;
    for (Index k = 0; k < steps; ++k) {
      const Vector l_low = vector_at<L>(lu, k * stride + i);
      const Vector l_high = vector_at<L>(lu, k * stride + second);
      for (int c = 0; c < C; ++c) {
        const Vector u = vector_at<L>(y, c * stride + k);
        low[c] -= l_low * u;
        high[c] -= l_high * u;
      }
    }
    const bool one_more = two && i < limit;
    for (int c = 0; c < C; ++c) {
      vector_at<L>(y, c * stride + i) = low[c];
      if (one_more) high[c] -= vector_at<L>(lu, i * stride + second) * low[c];
      if (two) vector_at<L>(y, c * stride + second) = high[c];
    }
  }
}

// y := U \ y for C columns. Two rows at a time, from the last.
template <class L, int C>
void backward_block(const typename L::Real* lu, Index n, typename L::Real* y) {
  using Vector = typename L::Vector;
  const Offset stride = panel_stride(n);
  for (Index i = n - 1; i >= 0; i -= 2) {
    const Index second = i > 0 ? i - 1 : i;
    Vector low[C], high[C];
    for (int c = 0; c < C; ++c) {
      low[c] = vector_at<L>(y, c * stride + i);
      high[c] = vector_at<L>(y, c * stride + second);
    }
    for (Index k = n - 1; k > i; --k) {
      const Vector u_low = vector_at<L>(lu, k * stride + i);
      const Vector u_high = vector_at<L>(lu, k * stride + second);
      for (int c = 0; c < C; ++c) {
        const Vector x = vector_at<L>(y, c * stride + k);
        low[c] -= u_low * x;
        high[c] -= u_high * x;
      }
    }
    for (int c = 0; c < C; ++c) {
      low[c] /= vector_at<L>(lu, i * stride + i);
      vector_at<L>(y, c * stride + i) = low[c];
      if (second == i) continue;
      high[c] -= vector_at<L>(lu, i * stride + second) * low[c];
      vector_at<L>(y, c * stride + second) = high[c] / vector_at<L>(lu, second * stride + second);
    }
  }
}

template <class L>
void forward(const typename L::Real* lu, Index n, Index limit, Index columns, typename L::Real* y) {
  switch (columns) {
    case 1:
      return forward_block<L, 1>(lu, n, limit, y);
    case 2:
      return forward_block<L, 2>(lu, n, limit, y);
    case 3:
      return forward_block<L, 3>(lu, n, limit, y);
    default:
      return forward_block<L, 4>(lu, n, limit, y);
  }
}

template <class L>
void backward(const typename L::Real* lu, Index n, Index columns, typename L::Real* y) {
  switch (columns) {
    case 1:
      return backward_block<L, 1>(lu, n, y);
    case 2:
      return backward_block<L, 2>(lu, n, y);
    case 3:
      return backward_block<L, 3>(lu, n, y);
    default:
      return backward_block<L, 4>(lu, n, y);
  }
}

// Where the pivots of a group are: row * lanes + lane, for every step and lane.
template <class L>
using Places = typename L::Integer;

// Exchanges entry k of a column with the one of the pivot: lane by lane, or, where few rows are
// left, by selecting all that it could be.
template <class L>
void exchange_entry(typename L::Real* column, Index k, Index n, const Places<L>* places) {
  constexpr int lanes = L::count;
  if (n - 1 - k <= lanes / 2) {
    const auto& place = *reinterpret_cast<const typename L::Mask*>(places + k * lanes);
    const typename L::Vector old_value = vector_at<L>(column, k);
    typename L::Vector new_value = old_value;
    for (Index i = k + 1; i < n; ++i) {
      const typename L::Mask here = place == lane_numbers<L>() + i * lanes;
      const typename L::Vector value = vector_at<L>(column, i);
      new_value = here ? value : new_value;
      vector_at<L>(column, i) = here ? old_value : value;
    }
    vector_at<L>(column, k) = new_value;
    return;
  }
  // Integers: they move without the units of arithmetic.
  auto* const bits = reinterpret_cast<typename L::Bits*>(column);
  for (int lane = 0; lane < lanes; ++lane) {
    typename L::Bits& here = bits[k * lanes + lane];
    typename L::Bits& other = bits[places[k * lanes + lane]];
    const typename L::Integer value = here;
    here = other;
    other = value;
  }
}

// Exchanges the rows of the steps [begin, end) in `columns` columns of every lane.
template <class L>
void exchange_rows(const Places<L>* places, Index begin, Index end, Index n, Index columns,
                   typename L::Real* panel) {
  for (Index j = 0; j < columns; ++j) {
    typename L::Real* const column = panel + j * panel_stride(n) * L::count;
    for (Index k = begin; k < end; ++k) exchange_entry<L>(column, k, n, places);
  }
}

// The first of the largest of rows k to n, as IDAMAX finds it: NaN only where it is the first.
template <class L>
void find_pivots(const typename L::Real* column, Index k, Index n, Places<L>* places) {
  typename L::Vector largest = magnitude<L>(vector_at<L>(column, k));
  typename L::Mask place = lane_numbers<L>() + k * L::count;
  for (Index i = k + 1; i < n; ++i) {
    const typename L::Vector size = magnitude<L>(vector_at<L>(column, i));
    const typename L::Mask is_larger = size > largest;
    largest = is_larger ? size : largest;
    place = is_larger ? lane_numbers<L>() + i * L::count : place;
  }
  *reinterpret_cast<typename L::Mask*>(places) = place;
}

// Divides the column below its pivot as the twin does: not at all by zero, through the reciprocal
// unless that could overflow.
template <class L>
void divide_below(typename L::Real* column, Index k, Index n) {
  using Vector = typename L::Vector;
  const Vector pivot = vector_at<L>(column, k);
  const typename L::Mask zero = pivot == Vector{};
  // NaN has no reciprocal that is a number, either way.
  const typename L::Mask plain = magnitude<L>(pivot) >= Vector{} + L::least_normal;
  const Vector one = Vector{} + typename L::Real{1};
  const Vector reciprocal = one / pivot;
  if (!any<L>(~plain)) {
    for (Index i = k + 1; i < n; ++i) vector_at<L>(column, i) *= reciprocal;
    return;
  }
  for (Index i = k + 1; i < n; ++i) {
    const Vector value = vector_at<L>(column, i);
    const Vector quotient = plain ? value * reciprocal : value / pivot;
    vector_at<L>(column, i) = zero ? value : quotient;
  }
}

// Columns after k of a block of `columns`: minus column k times row k.
template <class L>
void update_block(typename L::Real* block, Index k, Index n, Index done, Index columns) {
  const Offset stride = panel_stride(n);
  for (Index c = done + 1; c < columns; ++c) {
    const typename L::Vector u = vector_at<L>(block, c * stride + k);
    for (Index i = k + 1; i < n; ++i) {
      vector_at<L>(block, c * stride + i) -= vector_at<L>(block, done * stride + i) * u;
    }
  }
}

// The columns [first, first + columns) of the panel, to which all columns before were applied.
template <class L>
void factor_block(typename L::Real* block, Index first, Index n, Index columns, Places<L>* places,
                  std::int32_t* info) {
  constexpr int lanes = L::count;
  for (Index c = 0; c < columns; ++c) {
    const Index k = first + c;
    typename L::Real* const column = block + c * panel_stride(n) * lanes;
    find_pivots<L>(column, k, n, places + k * lanes);
    exchange_rows<L>(places, k, k + 1, n, columns, block);
    for (int lane = 0; lane < lanes; ++lane) {
      if (info[lane] == 0 && column[k * lanes + lane] == 0) info[lane] = k + 1;
    }
    divide_below<L>(column, k, n);
    update_block<L>(block, k, n, c, columns);
  }
}

// PA = LU of every lane. By blocks of columns, each of which takes
// all exchanges and terms of the columns before it at once (left-looking; Golub and Van Loan,
// Matrix Computations, 3.2).
template <class L>
void factor(typename L::Real* panel, Index n, Places<L>* places, std::int32_t* info) {
  for (int lane = 0; lane < L::count; ++lane) info[lane] = 0;
  for (Index first = 0; first < n; first += column_block) {
    const Index columns = n - first < column_block ? n - first : column_block;
    typename L::Real* const block = panel + first * panel_stride(n) * L::count;
    exchange_rows<L>(places, 0, first, n, columns, block);
    forward<L>(panel, n, first, columns, block);
    factor_block<L>(block, first, n, columns, places, info);
    exchange_rows<L>(places, first, first + columns, n, first, panel);
  }
}

}  // namespace
}  // namespace lufact
