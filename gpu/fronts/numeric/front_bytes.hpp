// SPDX-License-Identifier: BSD-3-Clause
// An estimate of the device memory that fronts take, for `lufact describe` (also in a build without
// CUDA). The exact size is known with the task graph, and checked before allocation.
#pragma once
#include "core/pipeline/front_tasks.hpp"
#include "gpu/numeric/resident_bytes.hpp"

namespace lufact::gpu {

// Fronts store the pattern of A + A' with zeros of merged fronts, and contribution blocks beside
// it: 1.03 to 2.06 times the entries of L + U on the 25 matrices of results/h200/memory.json.xz.
inline constexpr std::uint64_t stored_per_factor_entry = 2;

// Rows of contribution blocks for each row of the matrix, about: 0.2 to 6.2 on 25 real matrices.
inline constexpr std::uint64_t contribution_rows_per_row = 2;

// What sweeps of solves read and write: an entry for each row of a front and right-hand side.
// Solves with A' have room for many right-hand sides even for few, which is not in it.
inline std::uint64_t front_solve_bytes(Index n, Index rhs, Precision precision) {
  const auto columns = static_cast<std::uint64_t>(lufact::solve_columns(many_sweeps(rhs, false)));
  return columns * static_cast<std::uint64_t>(n) * (1 + contribution_rows_per_row) *
         value_bytes(precision);
}

inline std::uint64_t front_resident_bytes(Index n, Offset nnz, Offset nnz_lu, Index rhs,
                                          Precision precision) {
  const auto rows = static_cast<std::uint64_t>(n);
  const std::uint64_t values = (static_cast<std::uint64_t>(nnz_lu) * stored_per_factor_entry +
                                static_cast<std::uint64_t>(nnz)) *
                               value_bytes(precision);
  const std::uint64_t plan = static_cast<std::uint64_t>(nnz) * (sizeof(Index) + 2) +
                             rows * (sizeof(Index) + 3 * sizeof(Offset));
  return values + plan + front_solve_bytes(n, rhs, precision) +
         rows * static_cast<std::uint64_t>(rhs) * vector_blocks * sizeof(double);
}

}  // namespace lufact::gpu
