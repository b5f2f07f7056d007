// SPDX-License-Identifier: BSD-3-Clause
// The device memory that `gpu-binary-search` keeps, in closed form: one formula for the early
// check, for `lufact describe` (also in a build without CUDA) and for the check before allocating.
#pragma once
#include <cstdint>

#include "core/base/types.hpp"

namespace lufact::gpu {

// Blocks of n x rhs doubles that refinement holds beside the right-hand sides and the solution,
// which are on the device before the factors are.
inline constexpr std::uint64_t vector_blocks = 3;

// sizeof(NumericCounters), which is device code's.
inline constexpr std::uint64_t numeric_counter_bytes = 48;

// What a column factors object allocates: pattern by columns, the positions of the entries by rows
// in it, values by columns and by rows, tiles per column, level offsets, solve flags and counters.
inline std::uint64_t column_factor_bytes(Index n, Offset nnz_lu, Precision precision) {
  const std::uint64_t value = precision == Precision::float64 ? sizeof(double) : sizeof(float);
  const std::uint64_t per_entry = sizeof(Index) + sizeof(Offset) + 2 * value;
  const std::uint64_t per_column = 2 * sizeof(Offset) + 2 * sizeof(Index);
  const std::uint64_t fixed =
      2 * sizeof(Offset) + sizeof(Index) + 2 * sizeof(Index) + numeric_counter_bytes;
  return static_cast<std::uint64_t>(nnz_lu) * per_entry +
         static_cast<std::uint64_t>(n) * per_column + fixed;
}

// The factors, the schedule before them (level and order of each column) and the vectors after.
inline std::uint64_t column_resident_bytes(Index n, Offset nnz_lu, Index rhs, Precision precision) {
  const auto rows = static_cast<std::uint64_t>(n);
  return column_factor_bytes(n, nnz_lu, precision) + rows * 2 * sizeof(Index) +
         rows * static_cast<std::uint64_t>(rhs) * vector_blocks * sizeof(double);
}

}  // namespace lufact::gpu
