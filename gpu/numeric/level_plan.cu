// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cub/block/block_reduce.cuh>

#include "gpu/components/scan.hpp"
#include "gpu/numeric/level_codes.cuh"
#include "gpu/numeric/level_plan.hpp"
#include "gpu/numeric/updates.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 128;

// A level of at most this many tiles and columns is done sooner by one block than by two launches.
constexpr Offset small_level_tiles = 64;
constexpr Index small_level_columns = 64;
// Below this mean length of the columns of L most lanes of a warp would idle.
constexpr Offset narrow_length = 12;

// One thread per place of the schedule (and one past the end).
__global__ void count_tiles(FactorPattern pattern, const Index* columns, Offset* tiles) {
  const Offset place = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (place > pattern.n) return;
  tiles[place] = place == pattern.n ? 0 : column_work(pattern, columns[place]).tiles();
}

__device__ unsigned level_code(Offset tiles, Index width, Offset sub_columns, Offset updates,
                               Offset card_warps) {
  const unsigned narrow = updates < narrow_length * sub_columns ? 4U : 0U;
  if (tiles <= small_level_tiles && width <= small_level_columns) return 0;
  if (tiles <= card_warps / 4) return narrow | static_cast<unsigned>(LevelShape::quarter_grid);
  if (tiles <= card_warps) return narrow | static_cast<unsigned>(LevelShape::full_grid);
  return narrow | static_cast<unsigned>(LevelShape::stream);
}

// One block per level.
__global__ void classify_levels(FactorPattern pattern, PlanRef plan, Offset card_warps,
                                unsigned* codes) {
  using Reduce = cub::BlockReduce<Offset, threads>;
  __shared__ typename Reduce::TempStorage storage[2];
  const Index begin = plan.level_ptr[blockIdx.x];
  const Index end = plan.level_ptr[blockIdx.x + 1];
  Offset sub_columns = 0, updates = 0;
  for (Offset place = begin + static_cast<Offset>(threadIdx.x); place < end; place += threads) {
    const ColumnWork work = column_work(pattern, plan.columns[place]);
    sub_columns += work.sub_count;
    updates += work.sub_count * work.l_count;
  }
  sub_columns = Reduce(storage[0]).Sum(sub_columns);
  updates = Reduce(storage[1]).Sum(updates);
  if (threadIdx.x != 0) return;
  set_level_code(codes, static_cast<Index>(blockIdx.x),
                 level_code(plan.tile_ptr[end] - plan.tile_ptr[begin], end - begin, sub_columns,
                            updates, card_warps));
}

}  // namespace

std::vector<GluMode> LevelPlan::modes() const {
  std::vector<GluMode> modes;
  modes.reserve(kernels.size());
  for (const LevelKernel& kernel : kernels) {
    modes.push_back(kernel.shape == LevelShape::small_block ? GluMode::small_block
                    : kernel.shape == LevelShape::stream    ? GluMode::stream
                                                            : GluMode::large_block);
  }
  return modes;
}

LevelPlan make_level_plan(DeviceSession& session, const FactorPattern& pattern,
                          const DeviceColumnSchedule& schedule) {
  const Offset n = pattern.n;
  LevelPlan plan;
  plan.tile_ptr = {session, MemoryRole::resident, n + 1, "tiles of the columns"};
  launch(session, {ceil_div(n + 1, threads), threads}, count_tiles, pattern,
         schedule.columns.data(), plan.tile_ptr.data());
  exclusive_scan_in_place(session, plan.tile_ptr.data(), plan.tile_ptr.size());
  Buffer<unsigned> codes = make_level_codes(session, schedule.levels);
  launch(session, {schedule.levels, threads}, classify_levels, pattern,
         PlanRef{schedule.columns.data(), schedule.level_ptr.data(), plan.tile_ptr.data()},
         static_cast<Offset>(session.max_resident_warps()), codes.data());
  for (const unsigned code : read_level_codes(session, codes, schedule.levels)) {
    plan.kernels.push_back({static_cast<LevelShape>(code & 3U), (code & 4U) != 0});
  }
  return plan;
}

}  // namespace lufact::gpu
