// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/ours/lane_layouts.hpp"

#include <fmt/format.h>

#include "gpu/batch/ours/shared_sizes.hpp"

namespace lufact::gpu::ours {
namespace {

struct OrderRange {
  Index first64, last64, first32, last32;

  bool has(Precision precision, Index n) const {
    return precision == Precision::float64 ? n >= first64 && n <= last64
                                           : n >= first32 && n <= last32;
  }
};

}  // namespace

std::optional<int> LaneLayout::warps(int matrices) const {
  const int warps = matrices / matrices_per_warp();
  if (matrices % matrices_per_warp() != 0 || warps < 1 || warps > most_warps_per_block) return {};
  return warps;
}

std::string LaneLayout::name() const {
  return is_thread() ? "thread" : fmt::format("rows_g{}r{}", lanes, rows);
}

std::string LaneLayout::kernel(ArrayOperation operation) const {
  return fmt::format("{}_{}", name(), to_string(operation));
}

int LaneLayout::shared_bytes(Index n, Precision precision) const {
  const int real = precision == Precision::float64 ? 8 : 4;
  return is_thread() ? thread_shared_bytes(n, real) : rows_shared_bytes(n, lanes, real);
}

std::vector<LaneLayout> lane_layouts(Precision precision, Index n) {
  std::vector<LaneLayout> layouts;
#define LUFACT_ROWS(lanes, rows, first64, last64, first32, last32)      \
  if (OrderRange{first64, last64, first32, last32}.has(precision, n)) { \
    layouts.push_back({lanes, rows});                                   \
  }
#define LUFACT_THREAD(first64, last64, first32, last32)                 \
  if (OrderRange{first64, last64, first32, last32}.has(precision, n)) { \
    layouts.push_back({1, 0});                                          \
  }
#include "gpu/batch/ours/candidates.def"
  return layouts;
}

}  // namespace lufact::gpu::ours
