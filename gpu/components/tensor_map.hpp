// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of matrices for the copy unit of cards from 9.0 on.
#pragma once
#include <cuda.h>

#include "core/base/types.hpp"

namespace lufact::gpu {

struct MappedMatrix {
  const double* data = nullptr;  // by columns
  Offset ld = 1;
  Index rows = 1, columns = 1;
};

// Whether the copy unit can address it: 16-byte boundaries, and columns that are not too far apart.
bool can_be_mapped(const MappedMatrix& matrix);

// Boxes of 16 rows and so many columns. In shared memory, at a multiple of 1024 bytes, columns of a
// box follow each other as lines of 128 bytes; the 16-byte piece p of line k lies at p ^ (k % 8).
// To be passed by value to a kernel, so that a recorded launch has its own.
inline constexpr int mapped_box_rows = 16;
CUtensorMap tensor_map(const MappedMatrix& matrix, int box_columns);

}  // namespace lufact::gpu
