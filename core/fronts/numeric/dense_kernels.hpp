// SPDX-License-Identifier: BSD-3-Clause
// Dense kernels of fronts on the host, compiled for several instruction sets. Every matrix is
// stored by columns, its rows padded to a multiple of row_unit; numbers of rows count the padding.
// An entry of a result is computed by the same operations in the same order however a matrix is
// cut into pieces of whole row_units, so that cutting it for threads changes no bit.
#pragma once
#include <span>
#include <string_view>

#include "core/base/types.hpp"
#include "core/pipeline/front_schedule.hpp"

namespace lufact {

// Columns of a diagonal block that is eliminated at once.
inline constexpr Index diagonal_block = 64;

// Columns that are eliminated one after the other before those behind them take their product.
inline constexpr Index strip_columns = 8;

// Right-hand sides that `forward` and `backward` take at a time: one, or this many side by side.
inline constexpr Index side_by_side = 4;

// A triangle of an eliminated block, or the transpose of one. L has a diagonal of ones.
enum class Triangle { lower, upper, lower_transposed, upper_transposed };

// A thread's threshold for small pivots, and its record of the pivots that it has eliminated.
template <class T>
struct PivotWatch {
  T threshold = 0;  // smaller pivots become +-threshold, 0 becomes +threshold
  T largest = 0;    // of |L| and |U|
  Offset perturbed = 0;
  Offset unusable = 0;  // not finite, or zero where the threshold is zero too
  T largest_change = 0;
  Offset exchanged = 0;  // pivots taken from another row
};

template <class T>
struct DenseKernels {
  std::string_view instruction_set;
  // LU in place of the `width` <= diagonal_block leading rows and columns of d. inverse[k] becomes
  // the reciprocal of pivot k, and upper[k * diagonal_block + j] = U(k, j) for j > k.
  void (*factor)(T* d, Offset stride, Index width, T* inverse, T* upper, PivotWatch<T>& watch);
  // The same for P d: before pivot k is eliminated, row k changes places in all `width` columns
  // with row exchange[k] >= k, the first of the remaining rows whose entry is nearly_largest.
  void (*factor_with_exchanges)(T* d, Offset stride, Index width, T* inverse, T* upper,
                                Index* exchange, PivotWatch<T>& watch);
  // x := x * inverse(t) for `width` columns, t upper triangular with rows of t_stride entries and
  // the reciprocals of its diagonal in `inverse`; a diagonal of ones where that is null.
  void (*solve)(T* x, Offset stride, Index rows, const T* t, Offset t_stride, const T* inverse,
                Index width);
  // c -= a * b', or c := -a * b' where `fresh`; b has `columns` rows, not padded.
  void (*multiply)(T* c, Offset c_stride, const T* a, Offset a_stride, const T* b, Offset b_stride,
                   Index rows, Index columns, Index depth, bool fresh);
  // y(k * y_stride) -= column k of a times x, for `columns` columns.
  void (*dots)(T* y, Offset y_stride, const T* a, Offset stride, Index rows, Index columns,
               const T* x);
  // y := inverse(L) y, or inverse(U) y, for the triangles in d; y has `sides` entries a row.
  void (*forward)(T* y, const T* d, Offset stride, Index width, Index sides);
  void (*backward)(T* y, const T* d, Offset stride, const T* inverse, Index width, Index sides);
  // y := inverse(t) y for a triangle t of d, which has `width` rows; row i of y is y(i * y_stride)
  // and the entries behind it, one for each of `sides` right-hand sides, a multiple of row_unit. An
  // entry has the bits that `forward` and `backward` give a right-hand side alone.
  void (*solve_sides)(T* y, Offset y_stride, Index sides, const T* d, Offset stride,
                      const T* inverse, Index width, Triangle t);
  // Row k of y, as above, -= column k of a times x, which has `rows` rows like those of y. An entry
  // has the bits that `dots` gives it.
  void (*dots_of_sides)(T* y, Offset y_stride, const T* a, Offset stride, Index rows, Index columns,
                        const T* x, Offset x_stride, Index sides);
  // x(:, 0) *= factor, then x(:, j + 1) -= x(:, 0) * u[j] for `columns` < strip_columns columns.
  void (*eliminate)(T* x, Offset stride, Index rows, T factor, const T* u, Index columns);
  // Largest magnitude of `count` entries, a multiple of row_unit; NaN is passed over.
  T (*largest)(const T* x, Offset count);
  // Of columns that are eliminated one after the other, the one behind `known` < strip_columns that
  // are, but for the factor of the last of them: x(:, known - 1) *= factor, then x(:, known) -=
  // x(:, j) * u[j] for each j < known. Returns the largest magnitude in it; NaN is passed over.
  T (*next_column)(T* x, Offset stride, Index rows, Index known, T factor, const T* u);
  // The first of `rows` entries that has this magnitude; `rows` where none has.
  Index (*first_of)(const T* x, Index rows, T size);
};

// The kernels for the best instruction set that this machine has.
template <class T>
const DenseKernels<T>& dense_kernels();
// All kernel sets that this machine can run.
template <class T>
std::span<const DenseKernels<T>* const> dense_kernel_sets();

}  // namespace lufact
