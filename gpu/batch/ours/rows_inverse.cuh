// SPDX-License-Identifier: BSD-3-Clause
// `inverse-rows`: inversion of a batch by blocked Gauss-Jordan elimination with partial pivoting in
// the place of the matrix, on the skeleton of `rows`. Every row changes at every step but the
// pivot's own, which stays without its factor 1 / pivot until the end: elimination is linear in
// each row. After a panel of four pivots row i is a_i + sum_t x_it b_t, where b_t are the pivot
// rows as they were before the panel; x, and 1 for the own pivot, are the panel's columns of the
// result.
#pragma once
#include "gpu/batch/ours/careful_inverse.cuh"
#include "gpu/batch/ours/inverse_check.cuh"
#include "gpu/batch/ours/row_scales.cuh"
#include "gpu/batch/ours/rows_matrix.cuh"

namespace lufact::gpu::ours {

template <class Lanes, class Real, int N, int R, int G>
struct RowsInverse : RowsMatrix<Lanes, Real, N, R, G> {
  using Base = RowsMatrix<Lanes, Real, N, R, G>;
  using Shape = typename Base::Shape;
  using Base::a, Base::position, Base::lane, Base::scale, Base::vector, Base::row_size;

  // The same in all lanes of a group: A must be equilibrated. After read(), by all lanes.
  LUFACT_LANE bool has_unlike_rows() const {
    std::int32_t largest = 0;
    std::int32_t below = 0;  // how far the smallest is below the largest key there is
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      const std::int32_t key = key_of_value(row_size[r]);
      largest = largest > key ? largest : key;
      const std::int32_t distance = this->exists(r) ? largest_key - key : 0;
      below = below > distance ? below : distance;
    }
    largest = Lanes::template largest<G>(largest);
    below = Lanes::template largest<G>(below);
    return rows_differ<Real>(largest, largest_key - below);
  }

  // D A in the place of A; D is found again from the sizes of rows as read() sums them.
  LUFACT_LANE void scale_rows() {
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      const Real factor = row_scale<Real>(key_of_value(row_size[r]));
      LUFACT_UNROLL
      for (int c = 0; c < N; ++c) a[r][c] *= factor;
    }
  }

  // D of `matrix`, A as it was read: N numbers.
  LUFACT_LANE void share_row_scales(const Real* matrix, Real* scales) const {
    LUFACT_ROLL
    for (int i = lane; i < N; i += G) {
      Real sum = 0;
      LUFACT_ROLL
      for (int c = 0; c < N; ++c) sum += std::fabs(matrix[c * N + i]);
      scales[i] = row_scale<Real>(key_of_value(sum));
    }
  }

  // `matrix` D in the place of `matrix`.
  LUFACT_LANE void scale_columns(Real* matrix, const Real* scales) const {
    LUFACT_ROLL
    for (int e = lane; e < N * N; e += G) matrix[e] *= scales[e / N];
  }

  // `origin`: N numbers of the group, receives the row of A that was pivot at each step; `pivots`:
  // N numbers, from 1.
  LUFACT_LANE void invert(Real* panel, std::int32_t* origin, std::int32_t* pivots) {
    constexpr int rest = N % panel_columns;
    if constexpr (N >= panel_columns) {
      LUFACT_ROLL
      for (int first = 0; first + panel_columns <= N; first += panel_columns) {
        eliminate_panel<panel_columns>(first, panel, origin, pivots);
      }
    }
    if constexpr (rest != 0) eliminate_panel<rest>(N - rest, panel, origin, pivots);
  }

  // The same in all lanes of a group: the result is to be checked (inverse_check.cuh). All lanes
  // call it.
  LUFACT_LANE bool is_doubtful() const {
    return Lanes::template largest<G>(largest_multiplier) >= key_of_power<Real>(doubtful_exponent);
  }

  // A^-1: the row that was pivot at step k is row k, column k is column origin[k].
  LUFACT_LANE void write(Real* matrix, const std::int32_t* origin) const {
    LUFACT_UNROLL
    for (int c = 0; c < N; ++c) {
      Real* column = matrix + origin[c] * N;
      LUFACT_UNROLL
      for (int r = 0; r < R; ++r) {
        if (this->exists(r)) column[position[r]] = a[r][c] * scale[r];
      }
    }
  }

 private:
  static constexpr std::int32_t largest_key = 0x7fffffff;
  static_assert(Shape::panel_stride >= N, "a panel holds the scales of all rows");

  std::int32_t largest_multiplier = 0;  // a key

  // Columns first to first + Columns - 1, which are registers 0 to Columns - 1. Then all registers
  // move down by so many, so that the next panel finds its columns there.
  template <int Columns>
  LUFACT_LANE void eliminate_panel(int first, Real* panel, std::int32_t* origin,
                                   std::int32_t* pivots) {
    LUFACT_UNROLL
    for (int t = 0; t < Columns; ++t) eliminate<Columns>(first, t, origin, pivots);
    this->share_pivot_rows(first, Columns / vector, panel);
    update_and_rotate<Columns>(first, panel);
  }

  template <int Columns>
  LUFACT_LANE void eliminate(int first, int t, std::int32_t* origin, std::int32_t* pivots) {
    const int k = first + t;
    Real column[R];
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) column[r] = a[r][t];
    const PivotStep<Real> step = this->find(column, k);
    Real u[Columns];
    LUFACT_UNROLL
    for (int s = 0; s < Columns; ++s) {
      if (s != t) u[s] = this->of_pivot_row(step, s);
    }
    if (step.here) {
      origin[k] = lane + step.row * G;
      pivots[k] = step.from + 1;
    }
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      const bool pivot = this->is_pivot(step, r);
      this->move(step, k, r);
      const Real l = pivot ? Real(0) : a[r][t] * step.reciprocal;
      const std::int32_t key = k < N - 1 ? key_of_value(l) : 0;  // nothing follows the last pivot
      largest_multiplier = largest_multiplier < key ? key : largest_multiplier;
      LUFACT_UNROLL
      for (int s = 0; s < Columns; ++s) {
        if (s != t) a[r][s] = multiply_add(-l, u[s], a[r][s]);
      }
      a[r][t] = -l;
    }
  }

  template <int Columns>
  LUFACT_LANE void update_and_rotate(int first, const Real* panel) {
    Real x[R][Columns];
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      LUFACT_UNROLL
      for (int t = 0; t < Columns; ++t) x[r][t] = a[r][t];
    }
    LUFACT_UNROLL
    for (int q = Columns / vector; q < Shape::vectors; ++q) {
      Vector<Real> b[Columns];
      LUFACT_UNROLL
      for (int t = 0; t < Columns; ++t) {
        b[t] = load_vector(panel + t * Shape::row_stride + q * vector);
      }
      LUFACT_UNROLL
      for (int e = 0; e < vector; ++e) {
        const int c = q * vector + e;
        if (c < Columns || c >= N) continue;
        LUFACT_UNROLL
        for (int r = 0; r < R; ++r) {
          Real entry = a[r][c];
          LUFACT_UNROLL
          for (int t = 0; t < Columns; ++t) entry = multiply_add(x[r][t], b[t].entry[e], entry);
          a[r][c - Columns] = entry;
        }
      }
    }
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      LUFACT_UNROLL
      for (int t = 0; t < Columns; ++t) {
        const bool own = this->slot(first, r) == static_cast<unsigned>(t);
        a[r][N - Columns + t] = own ? x[r][t] + Real(1) : x[r][t];
      }
    }
  }
};

template <class Lanes, class Real, int N, int R, int G>
LUFACT_LANE void rows_inverse(const BatchKernelArguments& arguments, char* shared) {
  using Task = RowsTask<Lanes, Real, N, R, G>;
  if (!Task::warp_has_work(arguments)) return;
  Task task(arguments, shared);

  RowsInverse<Lanes, Real, N, R, G> inverse;
  std::int32_t* origin = task.numbers;
  std::int32_t* pivots = origin + N;
  inverse.read(task.staged.matrix(), task.staged.lane());
  const bool unlike = inverse.has_unlike_rows();
  if (unlike) inverse.scale_rows();
  inverse.invert(task.panel, origin, pivots);

  Lanes::sync();
  bool careful = inverse.needs_care() && task.present;
  // The residual of a row that was scaled counts as much more than that of D A as it was scaled.
  const bool doubtful = (inverse.is_doubtful() || unlike) && task.present && !careful;
  const bool any_unlike = Lanes::any(unlike);
  if (any_unlike) {
    inverse.share_row_scales(task.staged.matrix(), task.panel);
    Lanes::sync();
  }
  // Lanes without a matrix have found no pivots: what origin has for them leads anywhere.
  if (task.present && !careful) inverse.write(task.staged.matrix(), origin);
  if (any_unlike) {
    Lanes::sync();
    if (unlike && task.present && !careful) {
      inverse.scale_columns(task.staged.matrix(), task.panel);
    }
  }
  if (Lanes::any(doubtful)) {
    Lanes::sync();
    const bool wrong =
        is_inaccurate<Lanes, Real, N, R, G>(task.input(), task.staged.matrix(), doubtful);
    read_again<Lanes, Real, N, G>(task.input(), task.staged.matrix(), wrong);
    careful = careful || wrong;
  }
  int info = 0;
  if (Lanes::any(careful)) {
    const int exact =
        careful_inverse<Lanes, Real, N, G>(task.staged.matrix(), task.panel, pivots, careful);
    info = careful ? exact : info;
  }
  task.store_result();
  task.store_numbers(info, pivots);
}

}  // namespace lufact::gpu::ours
