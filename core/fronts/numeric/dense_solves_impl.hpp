// SPDX-License-Identifier: BSD-3-Clause
// The dense kernels of solves, for one right-hand side and for several side by side.
#pragma once
#include "core/fronts/numeric/dense_kernels_impl.hpp"

namespace lufact {
namespace {

template <class T>
void dots(T* y, Offset y_stride, const T* a, Offset stride, Index rows, Index columns, const T* x) {
  using P = Narrow<T>;
  for (Index k = 0; k < columns; ++k, a += stride, y += y_stride) {
    P sum[2] = {P::zero(), P::zero()};
    Index i = 0;
    for (; i + 2 * P::lanes <= rows; i += 2 * P::lanes) {
      sum[0].v += P::load(a + i).v * P::load(x + i).v;
      sum[1].v += P::load(a + i + P::lanes).v * P::load(x + i + P::lanes).v;
    }
    for (; i < rows; i += P::lanes) sum[0].v += P::load(a + i).v * P::load(x + i).v;
    sum[0].v += sum[1].v;
    T total = 0;
    for (int lane = 0; lane < P::lanes; ++lane) total += sum[0].v[lane];
    *y -= total;
  }
}

// to(i) -= column(i) * from for rows begin .. end of `sides` entries each.
template <Index sides, class T>
LUFACT_INLINE void subtract_rows(T* y, const T* column, Index begin, Index end, Index k) {
  T from[sides];
  for (Index s = 0; s < sides; ++s) from[s] = y[Offset{k} * sides + s];
  for (Index i = begin; i < end; ++i) {
    for (Index s = 0; s < sides; ++s) y[Offset{i} * sides + s] -= column[i] * from[s];
  }
}

template <Index sides, class T>
LUFACT_INLINE void forward_sides(T* y, const T* d, Offset stride, Index width) {
  for (Index k = 0; k < width; ++k) subtract_rows<sides>(y, d + k * stride, k + 1, width, k);
}

template <class T>
void forward(T* y, const T* d, Offset stride, Index width, Index sides) {
  if (sides == 1) return forward_sides<1>(y, d, stride, width);
  forward_sides<side_by_side>(y, d, stride, width);
}

template <Index sides, class T>
LUFACT_INLINE void backward_sides(T* y, const T* d, Offset stride, const T* inverse, Index width) {
  for (Index k = width - 1; k >= 0; --k) {
    for (Index s = 0; s < sides; ++s) y[Offset{k} * sides + s] *= inverse[k];
    subtract_rows<sides>(y, d + k * stride, 0, k, k);
  }
}

template <class T>
void backward(T* y, const T* d, Offset stride, const T* inverse, Index width, Index sides) {
  if (sides == 1) return backward_sides<1>(y, d, stride, inverse, width);
  backward_sides<side_by_side>(y, d, stride, inverse, width);
}

// A triangular solve for right-hand sides side by side as one from the first row to the last: for
// the others the rows are taken from the last one, with steps below zero.
template <class T>
struct SideTriangle {
  T* y;
  Offset y_step;
  const T* entries;  // t(j, k) is entries[j * row_step + k * column_step]
  Offset row_step, column_step;
  const T* inverse;  // of the diagonal; null: ones
  Offset inverse_step;

  LUFACT_INLINE void turn(Index width) {
    const Offset last = width - 1;
    y += last * y_step;
    entries += last * (row_step + column_step);
    if (inverse != nullptr) inverse += last * inverse_step;
    y_step = -y_step;
    row_step = -row_step;
    column_step = -column_step;
    inverse_step = -inverse_step;
  }
};

// `rows` rows from row j on, those before it being solved.
template <class P, int packs, int rows, class T>
LUFACT_INLINE void solve_side_rows(const SideTriangle<T>& t, Index i, Index j) {
  T* const to = t.y + i + j * t.y_step;
  P result[rows][packs];
  for (int r = 0; r < rows; ++r) {
    for (int p = 0; p < packs; ++p) result[r][p] = P::load(to + r * t.y_step + p * P::lanes);
  }
  const T* from = t.y + i;
  const T* entry = t.entries + j * t.row_step;
  for (Index k = 0; k < j; ++k, from += t.y_step, entry += t.column_step) {
    P known[packs];
    for (int p = 0; p < packs; ++p) known[p] = P::load(from + p * P::lanes);
    for (int r = 0; r < rows; ++r) {
      for (int p = 0; p < packs; ++p) result[r][p].v -= known[p].v * entry[r * t.row_step];
    }
  }
  for (int r = 0; r < rows; ++r, entry += t.column_step) {
    for (int p = 0; p < packs; ++p) {
      if (t.inverse != nullptr) result[r][p].v *= t.inverse[(j + r) * t.inverse_step];
      for (int q = r + 1; q < rows; ++q) {
        result[q][p].v -= result[r][p].v * entry[q * t.row_step];
      }
      result[r][p].store(to + r * t.y_step + p * P::lanes);
    }
  }
}

template <class T>
void solve_sides(T* y, Offset y_stride, Index sides, const T* d, Offset stride, const T* inverse,
                 Index width, Triangle triangle) {
  const bool transposed =
      triangle == Triangle::lower_transposed || triangle == Triangle::upper_transposed;
  const bool of_lower = triangle == Triangle::lower || triangle == Triangle::lower_transposed;
  SideTriangle<T> t{.y = y,
                    .y_step = y_stride,
                    .entries = d,
                    .row_step = transposed ? stride : 1,
                    .column_step = transposed ? 1 : stride,
                    .inverse = of_lower ? nullptr : inverse,
                    .inverse_step = 1};
  if (of_lower == transposed) t.turn(width);
  for_strips<T, solve_packs>(
      sides, [&]<class P, int packs>(Index i) __attribute__((always_inline)) {
        Index j = 0;
        for (; j + 4 <= width; j += 4) solve_side_rows<P, packs, 4>(t, i, j);
        for (; j < width; ++j) solve_side_rows<P, packs, 1>(t, i, j);
      });
}

// Columns of `a` at a time, as many as leave registers for operands.
template <class T>
inline constexpr int dot_columns = (LUFACT_VECTOR_BYTES == 64 ? 24 : 8) / int{2 * Narrow<T>::lanes};

// Partial sums as `dots` has them: one for each lane of its two vectors.
template <class P, int columns, class T>
LUFACT_INLINE void dots_of_pack(T* y, Offset y_stride, const T* a, Offset stride, Index rows,
                                const T* x, Offset x_stride) {
  constexpr int lanes = int{Narrow<T>::lanes}, parts = 2 * lanes;
  P sum[parts][columns];
  for (int q = 0; q < parts; ++q) {
    for (int c = 0; c < columns; ++c) sum[q][c] = P::zero();
  }
  const auto add = [&](Index i, int q) __attribute__((always_inline)) {
    const P from = P::load(x + i * x_stride);
    for (int c = 0; c < columns; ++c) sum[q][c].v += from.v * a[c * stride + i];
  };
  Index i = 0;
  for (; i + parts <= rows; i += parts) {
#pragma GCC unroll 8
    for (int q = 0; q < parts; ++q) add(i + q, q);
  }
  if (i < rows) {
#pragma GCC unroll 8
    for (int q = 0; q < lanes; ++q) add(i + q, q);
  }
  for (int c = 0; c < columns; ++c) {
    P total = P::zero();
    for (int q = 0; q < lanes; ++q) {
      sum[q][c].v += sum[lanes + q][c].v;
      total.v += sum[q][c].v;
    }
    P result = P::load(y + c * y_stride);
    result.v -= total.v;
    result.store(y + c * y_stride);
  }
}

template <class T>
void dots_of_sides(T* y, Offset y_stride, const T* a, Offset stride, Index rows, Index columns,
                   const T* x, Offset x_stride, Index sides) {
  for_strips<T, 1>(
      sides, [&]<class P, int packs>(Index s) __attribute__((always_inline)) {
        Index k = 0;
        for (; k + dot_columns<T> <= columns; k += dot_columns<T>) {
          dots_of_pack<P, dot_columns<T>>(y + s + k * y_stride, y_stride, a + k * stride, stride,
                                          rows, x + s, x_stride);
        }
        for (; k < columns; ++k) {
          dots_of_pack<P, 1>(y + s + k * y_stride, y_stride, a + k * stride, stride, rows, x + s,
                             x_stride);
        }
      });
}

}  // namespace
}  // namespace lufact
