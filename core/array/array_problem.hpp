// SPDX-License-Identifier: BSD-3-Clause
// What is to be computed on dense matrices of one shape, and the arrays that hold them.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/base/types.hpp"

namespace lufact {

enum class ArrayOperation {
  lu,       // PA = LU; L without its unit diagonal and U in place of A
  inverse,  // of A
  solve,    // A x = b; what is left in A's place is not specified
};
std::string_view to_string(ArrayOperation operation) noexcept;

// Where entry (i, j) of matrix k of `count` is:
enum class ArrayLayout {
  contiguous,   // a[k * ld * columns + j * ld + i]: LAPACK's columns, one matrix after the other
  interleaved,  // a[(j * ld + i) * count + k]: equal entries of all matrices side by side
  pointers,     // a[k][j * ld + i]: an array of addresses, in no order
};
std::string_view to_string(ArrayLayout layout) noexcept;

enum class ArrayPivoting { none, partial };
std::string_view to_string(ArrayPivoting pivoting) noexcept;

// The numbers in which factors are made: those of the matrix, or lower ones, from which a solution
// is refined to the precision of the matrix.
enum class FactorArithmetic { own, float32, tf32, half, bfloat };
std::string_view to_string(FactorArithmetic arithmetic) noexcept;

struct ArrayProblem {
  ArrayOperation operation = ArrayOperation::lu;
  Index rows = 1, columns = 1;  // of every matrix
  Offset count = 1;
  Index ld = 1;   // >= rows
  Index rhs = 0;  // right-hand sides of each matrix; 0 unless `solve`
  ArrayLayout layout = ArrayLayout::contiguous;
  Precision precision = Precision::float64;
  ArrayPivoting pivoting = ArrayPivoting::partial;
  bool in_place = true;  // the result is written over A; always so for lu and solve
  FactorArithmetic arithmetic = FactorArithmetic::own;  // another one for solve alone

  Index order() const noexcept { return rows < columns ? rows : columns; }
};

// Arrays in memory of the side that computes, of the precision of the problem. They belong to the
// caller, who makes the input and restores it before every repetition.
struct ArrayOperands {
  void* a = nullptr;       // contiguous, interleaved: entries; pointers: `count` addresses
  void* result = nullptr;  // in the form of `a`, which it equals in place; ld as of `a`
  void* b = nullptr;       // solve: columns of length `rows`, in the layout of `a` with ld = rows;
                           // overwritten by the solution
  // count * order() numbers from 1, matrix after matrix in every layout: LAPACK's ipiv. Null where
  // pivoting is `none`; may be null for inverse and solve.
  std::int32_t* pivots = nullptr;
  // Of each matrix: 0, or the first k from 1 with U(k, k) exactly zero. The factorization is
  // completed as LAPACK's getf2 does; inverse and solution of such a matrix are all NaN.
  std::int32_t* info = nullptr;
};

}  // namespace lufact
