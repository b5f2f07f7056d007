// SPDX-License-Identifier: BSD-3-Clause
// The workspace of the triangular solves; plain, since builds without CUDA forecast memory too.
#pragma once
#include "core/base/types.hpp"

namespace lufact::gpu {

inline constexpr Index solve_columns = 4;  // right-hand sides that one sweep carries

// Doubles that sync_free_solve and make_solve_levels need: a pass of solutions, and a counter.
constexpr Offset solve_workspace(Index n) {
  return Offset{n} * solve_columns + 1;
}

}  // namespace lufact::gpu
