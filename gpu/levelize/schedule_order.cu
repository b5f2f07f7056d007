// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cub/block/block_reduce.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "gpu/levelize/schedule_order.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

struct Extent {
  Index levels = 0, max_width = 0;
};

__device__ inline Offset own_index() {
  return static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void number(Index n, Index* numbers) {
  const Offset k = own_index();
  if (k < n) numbers[k] = static_cast<Index>(k);
}

// One thread per place: the first of a level writes where it begins.
__global__ void mark_level_starts(const Index* sorted_levels, Index n, Index* level_ptr,
                                  Extent* extent) {
  const Offset place = own_index();
  if (place >= n) return;
  const Index level = sorted_levels[place];
  if (place == 0 || sorted_levels[place - 1] != level) level_ptr[level] = static_cast<Index>(place);
  if (place < n - 1) return;
  level_ptr[level + 1] = n;
  extent->levels = level + 1;
}

// One thread per level, of which there are at most as many as columns.
__global__ void find_max_width(const Index* level_ptr, Extent* extent) {
  using Reduce = cub::BlockReduce<Index, threads>;
  __shared__ typename Reduce::TempStorage storage;
  const Offset level = own_index();
  const Index width = level < extent->levels ? level_ptr[level + 1] - level_ptr[level] : 0;
  const Index widest =
      Reduce(storage).Reduce(width, [](Index a, Index b) { return a < b ? b : a; });
  if (threadIdx.x == 0 && widest > 0) atomicMax(&extent->max_width, widest);
}

// schedule.columns: the column numbers, sorted stably by level.
void sort_columns(DeviceSession& session, DeviceColumnSchedule& schedule, Index* sorted_levels) {
  const Index n = schedule.n;
  Buffer<Index> numbers(session, MemoryRole::scratch, n, "the column numbers");
  launch(session, {ceil_div(n, threads), threads}, number, n, numbers.data());
  const int bits = std::max(static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1))), 1);
  std::size_t bytes = 0;
  const auto sort = [&](void* temporary) {
    LUFACT_CUDA(cub::DeviceRadixSort::SortPairs(
        temporary, bytes, schedule.level_of.data(), sorted_levels, numbers.data(),
        schedule.columns.data(), n, 0, bits, session.stream()));
  };
  sort(nullptr);
  Buffer<unsigned char> temporary(session, MemoryRole::scratch, static_cast<Offset>(bytes),
                                  "the sort of the columns by level");
  sort(temporary.data());
}

}  // namespace

std::shared_ptr<DeviceColumnSchedule> allocate_schedule(DeviceSession& session, Index n,
                                                        DependencyRule rule) {
  auto schedule = std::make_shared<DeviceColumnSchedule>();
  schedule->rule = rule;
  schedule->n = n;
  schedule->level_of = {session, MemoryRole::resident, n, "the level of each column"};
  schedule->columns = {session, MemoryRole::resident, n, "the columns by level"};
  schedule->level_ptr = {session, MemoryRole::resident, Offset{n} + 1, "the level offsets"};
  return schedule;
}

void complete_schedule(DeviceSession& session, DeviceColumnSchedule& schedule) {
  const Index n = schedule.n;
  if (n == 0) {
    schedule.level_ptr.fill_bytes(0);
    return;
  }
  Buffer<Index> sorted_levels(session, MemoryRole::scratch, n, "the sorted levels");
  sort_columns(session, schedule, sorted_levels.data());
  Buffer<Extent> extent(session, MemoryRole::scratch, 1, "the extent of the schedule");
  extent.fill_bytes(0);
  const LaunchShape one_each{ceil_div(n, threads), threads};
  launch(session, one_each, mark_level_starts, sorted_levels.data(), n, schedule.level_ptr.data(),
         extent.data());
  launch(session, one_each, find_max_width, schedule.level_ptr.data(), extent.data());
  const Extent found = read_value(session, extent.data());
  schedule.levels = found.levels;
  schedule.max_width = found.max_width;
}

}  // namespace lufact::gpu
