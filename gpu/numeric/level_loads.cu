// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/thread_group.cuh"
#include "gpu/numeric/level_codes.cuh"
#include "gpu/numeric/level_loads.hpp"
#include "gpu/numeric/updates.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;

// The code of a column: whether it is heavy, and a class of its number of sub-columns. Heavy
// columns have the larger codes.
constexpr unsigned largest_load_class = 7, heavy_code = 8;
static_assert((heavy_code | largest_load_class) <= largest_level_code);

// Whether some warp of the largest block makes heavy_passes passes over 32 entries when each warp
// takes a sub-column at a time. By all lanes of a warp.
__device__ bool is_heavy(const FactorPattern& pattern, const ColumnWork& work, int lane) {
  constexpr Offset heavy_alone = heavy_passes * warp_size;
  constexpr Offset heavy_together = heavy_alone * most_block_warps;
  Offset longest = 0, all = 0;
  for (Offset s = work.sub_begin + lane; s < work.sub_begin + work.sub_count; s += warp_size) {
    const Offset entries = pattern.col_ptr[pattern.col_idx[s] + 1] - pattern.position[s] - 1;
    longest = entries > longest ? entries : longest;
    all += entries;
  }
  for (int distance = warp_size / 2; distance > 0; distance /= 2) {
    all += __shfl_xor_sync(full_warp, all, distance);
  }
  return all >= heavy_together || __any_sync(full_warp, longest >= heavy_alone);
}

// The power k of the least 4^k that is no less than the sub-columns; the largest one for any more.
__device__ unsigned load_class(Offset sub_columns) {
  unsigned power = 0;
  while (power < largest_load_class && Offset(1) << (2 * power) < sub_columns) ++power;
  return power;
}

// One warp per column.
__global__ void find_largest_codes(FactorPattern pattern, const Index* level_of, unsigned* code) {
  const Offset column = blockIdx.x * static_cast<Offset>(warps) + threadIdx.x / warp_size;
  if (column >= pattern.n) return;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const ColumnWork work = column_work(pattern, static_cast<Index>(column));
  const unsigned heavy = is_heavy(pattern, work, lane) ? heavy_code : 0;
  if (lane == 0) atomicMax(code + level_of[column], heavy | load_class(work.sub_count));
}

// One thread per level.
__global__ void pack_codes(const unsigned* code, Index levels, unsigned* packed) {
  const Offset level = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (level < levels) set_level_code(packed, static_cast<Index>(level), code[level]);
}

}  // namespace

std::vector<LevelLoad> find_level_loads(DeviceSession& session, const FactorPattern& pattern,
                                        const DeviceColumnSchedule& schedule) {
  Buffer<unsigned> code(session, MemoryRole::scratch, schedule.levels, "loads of levels");
  code.fill_bytes(0);
  launch(session, {ceil_div(pattern.n, warps), threads}, find_largest_codes, pattern,
         schedule.level_of.data(), code.data());
  Buffer<unsigned> packed = make_level_codes(session, schedule.levels);
  launch(session, {ceil_div(schedule.levels, threads), threads}, pack_codes, code.data(),
         schedule.levels, packed.data());
  std::vector<LevelLoad> loads;
  loads.reserve(static_cast<std::size_t>(schedule.levels));
  for (const unsigned c : read_level_codes(session, packed, schedule.levels)) {
    const unsigned power = c & largest_load_class;
    loads.push_back({.heavy = (c & heavy_code) != 0,
                     .sub_columns = power == largest_load_class ? 0 : Offset(1) << (2 * power)});
  }
  return loads;
}

}  // namespace lufact::gpu
