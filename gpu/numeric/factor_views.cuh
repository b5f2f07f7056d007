// SPDX-License-Identifier: BSD-3-Clause
// Plain views of the factors while they are computed; passed to kernels by value.
#pragma once
#include "core/base/types.hpp"

namespace lufact::gpu {

// The pattern of L + U by columns (CSC, rows ascending) beside its rows (CSR, columns ascending).
struct FactorPattern {
  Index n = 0;
  const Offset* row_ptr = nullptr;
  const Index* col_idx = nullptr;
  const Offset* diagonal = nullptr;  // position by rows of (i, i)
  const Offset* col_ptr = nullptr;
  const Index* row_idx = nullptr;
  const Offset* position = nullptr;  // position by columns of each entry by rows
};

// Values by columns: first those of row_scale * B * col_scale, at the end those of L and U.
template <class T>
struct FactorsRef {
  FactorPattern pattern;
  T* values = nullptr;
};

// Columns of one level: `width` of them, on the device.
struct LevelColumns {
  const Index* columns = nullptr;
  Offset width = 0;
};

// The columns in the order of the schedule, and the work that each of them has as a pivot column.
struct PlanRef {
  const Index* columns = nullptr;
  const Index* level_ptr = nullptr;
  const Offset* tile_ptr = nullptr;  // tiles of the column at place p: tile_ptr[p] .. tile_ptr[p+1]
};

// Counters of the kernels; read back once, as one control read.
struct NumericCounters {
  unsigned long long perturbed_pivots;
  unsigned long long unusable_pivots;  // not finite, or zero where the threshold is zero too
  unsigned long long misplaced;        // values or updates without an entry of the pattern
  // Largest magnitudes, as the bits of a double that is not negative (their order is the numbers').
  unsigned long long largest_perturbation, largest_factor, largest_entry;
  unsigned long long exchanged_rows;  // pivots taken from another row
};
static_assert(sizeof(NumericCounters) <= 64);

}  // namespace lufact::gpu
