// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of matrices for the copy unit of cards from 9.0 on.
#pragma once
#include <cuda.h>

#include "core/base/types.hpp"

namespace lufact::gpu {

template <class T>
struct MappedMatrix {
  const T* data = nullptr;  // by columns
  Offset ld = 1;
  Index rows = 1, columns = 1;
};

// Whether the copy unit can address it: 16-byte boundaries, and columns that are not too far apart.
template <class T>
bool can_be_mapped(const MappedMatrix<T>& matrix);

// In shared memory the columns of a box follow each other as lines of `rows` entries. Where they
// are swizzled a line has 128 bytes, the box lies at a multiple of 1024, and the 16-byte piece p of
// line k is at p ^ (k % 8).
struct MappedBox {
  int rows = 1, columns = 1;
  bool swizzled = false;
};
// To be passed by value to a kernel, so that a recorded launch has its own.
template <class T>
CUtensorMap tensor_map(const MappedMatrix<T>& matrix, const MappedBox& box);

}  // namespace lufact::gpu
