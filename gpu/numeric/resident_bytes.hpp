// SPDX-License-Identifier: BSD-3-Clause
// The device memory that the numeric stages of the column family keep, in closed form: one formula
// for the early check, for `lufact describe` (also in a build without CUDA) and for the check
// before allocating.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/base/types.hpp"
#include "gpu/solve/workspace.hpp"

namespace lufact::gpu {

// Blocks of n x rhs doubles that refinement holds beside the right-hand sides and the solution,
// which are on the device before the factors are.
inline constexpr std::uint64_t vector_blocks = 3;

// sizeof(NumericCounters), which is device code's.
inline constexpr std::uint64_t numeric_counter_bytes = 56;

constexpr std::uint64_t value_bytes(Precision precision) {
  return precision == Precision::float64 ? sizeof(double) : sizeof(float);
}

// Bytes that a column factors object allocates after its engine: values by columns and by rows,
// workspace of the solves and counters.
inline std::uint64_t column_value_bytes(Index n, Offset nnz_lu, Precision precision) {
  return static_cast<std::uint64_t>(nnz_lu) * 2 * value_bytes(precision) +
         static_cast<std::uint64_t>(solve_workspace(n)) * sizeof(double) + numeric_counter_bytes;
}

// Bytes of the object without its engine: the above, the pattern by columns, and the position in
// that pattern of each entry by rows.
inline std::uint64_t column_factor_bytes(Index n, Offset nnz_lu, Precision precision) {
  return static_cast<std::uint64_t>(nnz_lu) * (sizeof(Index) + sizeof(Offset)) +
         (static_cast<std::uint64_t>(n) + 1) * sizeof(Offset) +
         column_value_bytes(n, nnz_lu, precision);
}

// Bytes that the engines of `gpu-dense` and `gpu-dense-fixed` keep; work columns are scratch.
inline std::uint64_t dense_engine_bytes(Index, Offset, Precision) {
  return 0;
}

// Bytes that the engine of `gpu-binary-search` keeps: tiles per column.
inline std::uint64_t binary_search_engine_bytes(Index n, Offset, Precision) {
  return (static_cast<std::uint64_t>(n) + 1) * sizeof(Offset);
}

// Bytes that the engine of `gpu-persistent` keeps: a few numbers for each of up to n supernodes, at
// most one source for each entry, and work space in global memory, enough for one supernode of
// `persistent_supernode_width` columns over all rows.
inline constexpr Index persistent_supernode_width = 8;
inline std::uint64_t persistent_engine_bytes(Index n, Offset nnz_lu, Precision precision) {
  constexpr std::uint64_t per_supernode = 6 * sizeof(Index) + sizeof(Offset);
  constexpr std::uint64_t fixed = 4 * sizeof(Index) + sizeof(Offset) + 16;
  const std::uint64_t per_row = sizeof(Index) + persistent_supernode_width * value_bytes(precision);
  return static_cast<std::uint64_t>(nnz_lu) * sizeof(Index) +
         static_cast<std::uint64_t>(n) * (per_supernode + per_row) + fixed;
}

// `gpu-auto` has one of these two engines; which is not known early.
inline std::uint64_t auto_engine_bytes(Index n, Offset nnz_lu, Precision precision) {
  return std::max(dense_engine_bytes(n, nnz_lu, precision),
                  binary_search_engine_bytes(n, nnz_lu, precision));
}

// Bytes of a column schedule: level and order of each column, and level offsets.
inline std::uint64_t column_schedule_bytes(Index n) {
  return (3 * static_cast<std::uint64_t>(n) + 1) * sizeof(Index);
}

// Bytes of factors, schedule and vectors of refinement; those of the engine come on top.
inline std::uint64_t column_resident_bytes(Index n, Offset nnz_lu, Index rhs, Precision precision) {
  return column_factor_bytes(n, nnz_lu, precision) + column_schedule_bytes(n) +
         static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(rhs) * vector_blocks *
             sizeof(double);
}

}  // namespace lufact::gpu
