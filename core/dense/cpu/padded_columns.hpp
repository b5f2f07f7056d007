// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cmath>
#include <limits>

#include "core/base/types.hpp"

namespace lufact {

// A matrix by columns whose rows are padded with zeros to a multiple of row_unit.
template <class T>
struct PaddedColumns {
  T* entries = nullptr;
  Offset stride = 0;
  Index rows = 0, padded_rows = 0, columns = 0;

  T& operator()(Index i, Index j) const noexcept { return entries[Offset{j} * stride + i]; }
};

// As getrf: what is below a pivot is divided where its reciprocal would overflow.
template <class T>
bool has_reciprocal(T pivot) {
  return std::abs(pivot) >= std::numeric_limits<T>::min();
}

}  // namespace lufact
