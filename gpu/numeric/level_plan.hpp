// SPDX-License-Identifier: BSD-3-Clause
// How each level of the schedule is run. Depends on the pattern and the schedule alone, so that
// refactorizations share it.
#pragma once
#include <vector>

#include "core/pipeline/options.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/numeric/factor_views.cuh"

namespace lufact::gpu {

// By the number of tiles of the level, in the spirit of GLU3's three modes:
//   small_block  one block does the whole level, and all such levels in a row with one launch
//   large_block  one or two launches over the grid, at most one tile for each group of lanes
//   stream       more tiles than the card holds warps: each group of lanes takes several
enum class LevelShape : unsigned { small_block = 0, quarter_grid = 1, full_grid = 2, stream = 3 };

struct LevelKernel {
  LevelShape shape = LevelShape::small_block;
  bool narrow = false;  // short columns of L: 8 lanes to a tile rather than a warp
};

struct LevelPlan {
  Buffer<Offset> tile_ptr;           // n + 1: tiles of the columns, in the order of the schedule
  std::vector<LevelKernel> kernels;  // on the host, one per level

  std::vector<GluMode> modes() const;
};

// One control read for every 128 levels carries their kernels to the host.
LevelPlan make_level_plan(DeviceSession& session, const FactorPattern& pattern,
                          const DeviceColumnSchedule& schedule);

}  // namespace lufact::gpu
