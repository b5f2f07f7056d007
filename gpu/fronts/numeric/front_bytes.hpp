// SPDX-License-Identifier: BSD-3-Clause
// An estimate of the device memory that fronts take, for `lufact describe` (also in a build without
// CUDA). The exact size is known with the task graph, and checked before allocation.
#pragma once
#include "gpu/numeric/resident_bytes.hpp"

namespace lufact::gpu {

// Fronts store the pattern of A + A' with zeros of merged fronts, and contribution blocks beside
// it: 1.03 to 2.06 times the entries of L + U on the 25 matrices of results/h200/memory.json.xz.
inline constexpr std::uint64_t stored_per_factor_entry = 2;

inline std::uint64_t front_resident_bytes(Index n, Offset nnz, Offset nnz_lu, Index rhs,
                                          Precision precision) {
  const auto rows = static_cast<std::uint64_t>(n);
  const std::uint64_t values = (static_cast<std::uint64_t>(nnz_lu) * stored_per_factor_entry +
                                static_cast<std::uint64_t>(nnz)) *
                               value_bytes(precision);
  const std::uint64_t plan = static_cast<std::uint64_t>(nnz) * (sizeof(Index) + 2) +
                             rows * (sizeof(Index) + 3 * sizeof(Offset));
  return values + plan + rows * static_cast<std::uint64_t>(rhs) * vector_blocks * sizeof(double);
}

}  // namespace lufact::gpu
