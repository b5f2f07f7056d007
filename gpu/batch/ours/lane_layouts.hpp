// SPDX-License-Identifier: BSD-3-Clause
// The kernels that there are for an order, on the host: candidates.def as functions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/array/array_problem.hpp"

namespace lufact::gpu::ours {

inline constexpr Index largest_order = 64, largest_thread_order = 8;
inline constexpr int most_warps_per_block = 4;

// How a matrix lies on lanes: a thread, or `lanes` lanes with `rows` rows each.
struct LaneLayout {
  int lanes = 1, rows = 0;  // 1, 0: a matrix a thread

  bool is_thread() const { return rows == 0; }
  int matrices_per_warp() const { return 32 / lanes; }
  // Of a block with so many matrices; empty where 1 to most_warps_per_block full warps do not have
  // that number.
  std::optional<int> warps(int matrices) const;
  std::string name() const;  // "thread", "rows_g8r3"
  std::string kernel(ArrayOperation operation) const;
  int shared_bytes(Index n, Precision precision) const;  // of a warp
  bool operator==(const LaneLayout&) const = default;
};

// Those of an order and precision; at least one for 1 to largest_order.
std::vector<LaneLayout> lane_layouts(Precision precision, Index n);

}  // namespace lufact::gpu::ours
