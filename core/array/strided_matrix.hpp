// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/array/array_problem.hpp"

namespace lufact {

// Where the entries of one matrix of a batch are.
template <class Real>
struct StridedMatrix {
  Real* first = nullptr;
  Offset row_stride = 1, column_stride = 1;

  Real& operator()(Index i, Index j) const noexcept {
    return first[i * row_stride + j * column_stride];
  }
};

// An array of `count` matrices of `columns` columns in one of the layouts of ArrayLayout: the
// operands `a` and `result` of a problem with its ld, or `b` with ld = rows.
template <class Real>
struct MatrixArray {
  void* base = nullptr;
  ArrayLayout layout = ArrayLayout::contiguous;
  Index columns = 1, ld = 1;
  Offset count = 1;  // also the stride of interleaved entries

  StridedMatrix<Real> operator[](Offset k) const noexcept {
    switch (layout) {
      case ArrayLayout::contiguous:
        return {static_cast<Real*>(base) + k * ld * columns, 1, ld};
      case ArrayLayout::interleaved:
        return {static_cast<Real*>(base) + k, count, ld * count};
      case ArrayLayout::pointers:
        return {static_cast<Real**>(base)[k], 1, ld};
    }
    return {};
  }
};

}  // namespace lufact
