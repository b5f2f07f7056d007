// SPDX-License-Identifier: BSD-3-Clause
// Columns that are eliminated before the rest of a matrix is updated.
#pragma once

namespace lufact::gpu::blocked {

inline constexpr int least_block = 32;  // blocks are multiples of it
inline constexpr int deepest_block = 1024;
// With pivoting, blocks of at least so many are updated by single panels alone.
inline constexpr int wide_block = 512;

// Rows that one kernel solves with a triangle; products come between.
inline constexpr int solve_depth = 128;

// From this order on, with pivoting, columns of L get the exchanges of later blocks at the end.
inline constexpr int least_late_order = 8192;

// Up to this order `fast` takes task-graph without pivoting.
inline constexpr int largest_graph_order = 8192;

}  // namespace lufact::gpu::blocked
