// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/numeric/levels.hpp"
#include "gpu/numeric/pivots.cuh"
#include "gpu/numeric/updates.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr int small_block_threads = 1024;
constexpr int narrow_lanes = 8;

constexpr Offset most_warps_per_column = 64;

// The `warps` warps of the grid share the columns of the level: several consecutive ones to a
// column where there are at least twice as many as columns, lanes striding down its L part.
template <class T>
__global__ void pivot_kernel(FactorsRef<T> factors, PlanRef plan, PivotRule<T> rule, Index level,
                             Offset warps, NumericCounters* counters) {
  const Index begin = plan.level_ptr[level];
  const Index width = plan.level_ptr[level + 1] - begin;
  const Offset share = warps / (2 * static_cast<Offset>(width));
  const Offset per_column = share < 1                       ? 1
                            : share < most_warps_per_column ? share
                                                            : most_warps_per_column;
  const int lanes = static_cast<int>(per_column) * warp_size;
  const Offset thread = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  const Offset teams = warps / per_column;
  if (thread / lanes >= teams) return;
  for (Offset c = thread / lanes; c < width; c += teams) {
    finish_column(factors, rule, plan.columns[begin + c], static_cast<int>(thread % lanes), lanes,
                  counters);
  }
}

// Groups of `Lanes` threads take equal runs of consecutive tiles of the level.
template <int Lanes, class T>
__global__ void update_kernel(FactorsRef<T> factors, PlanRef plan, Index level,
                              NumericCounters* counters) {
  const Index begin = plan.level_ptr[level];
  const Index end = plan.level_ptr[level + 1];
  const Offset thread = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  const Offset groups = gridDim.x * static_cast<Offset>(blockDim.x) / Lanes;
  const Offset last = plan.tile_ptr[end];
  const Offset run = ceil_div(last - plan.tile_ptr[begin], groups);
  const Offset first = plan.tile_ptr[begin] + (thread / Lanes) * run;
  if (first >= last) return;
  const Offset stop = first + run < last ? first + run : last;
  Index place = find_owner(plan.tile_ptr, begin, end, first);
  for (Offset tile = first; tile < stop; ++tile) {
    place = next_owner(plan.tile_ptr, place, end, tile);
    update_tile<Lanes>(factors, plan.columns[place], tile - plan.tile_ptr[place],
                       static_cast<int>(thread % Lanes), counters);
  }
}

// The pivots of a narrow level by the warps of one block: several to a column where there are fewer
// columns than warps.
template <class T>
__device__ void finish_columns_in_block(const FactorsRef<T>& factors, const PivotRule<T>& rule,
                                        const Index* columns, Index width,
                                        NumericCounters* counters) {
  constexpr Index warps = small_block_threads / warp_size;
  const Index per_column = width < warps ? warps / width : 1;
  const int lanes = per_column * warp_size;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  for (Index c = static_cast<Index>(threadIdx.x) / lanes; c < width; c += warps / per_column) {
    finish_column(factors, rule, columns[c], lane, lanes, counters);
  }
}

// One block: a run of levels that are too small for the grid. The barriers order the writes and
// atomics of one step before the reads of the next, all of them by threads of this block.
template <class T>
__global__ void __launch_bounds__(small_block_threads, 1)
    small_levels_kernel(FactorsRef<T> factors, PlanRef plan, PivotRule<T> rule, Index first_level,
                        Index end_level, NumericCounters* counters) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  for (Index level = first_level; level < end_level; ++level) {
    const Index begin = plan.level_ptr[level];
    const Index end = plan.level_ptr[level + 1];
    finish_columns_in_block(factors, rule, plan.columns + begin, end - begin, counters);
    __syncthreads();
    const Offset last = plan.tile_ptr[end];
    for (Offset tile = plan.tile_ptr[begin] + threadIdx.x / warp_size; tile < last;
         tile += small_block_threads / warp_size) {
      const Index place = find_owner(plan.tile_ptr, begin, end, tile);
      update_tile<warp_size>(factors, plan.columns[place], tile - plan.tile_ptr[place], lane,
                             counters);
    }
    __syncthreads();
  }
}

// Runs single levels over the grid; knows the card and the plan.
template <class T>
class LevelRunner {
 public:
  LevelRunner(DeviceSession& session, const FactorsRef<T>& factors, const PlanRef& plan,
              T smallest_pivot, NumericCounters* counters)
      : session_(session),
        factors_(factors),
        plan_(plan),
        rule_{smallest_pivot},
        counters_(counters) {}

  void run_small(Index first_level, Index end_level) {
    launch(session_, {1, small_block_threads}, small_levels_kernel<T>, factors_, plan_, rule_,
           first_level, end_level, counters_);
  }

  void run_wide(Index level, const LevelKernel& kernel) {
    const Offset card = session_.max_resident_warps();
    launch(session_, shape_of(card), pivot_kernel<T>, factors_, plan_, rule_, level, card,
           counters_);
    const LaunchShape shape =
        shape_of(kernel.shape == LevelShape::quarter_grid ? ceil_div(card, 4)
                 : kernel.shape == LevelShape::full_grid  ? card
                                                          : stream_rounds * card);
    if (kernel.narrow) {
      launch(session_, shape, update_kernel<narrow_lanes, T>, factors_, plan_, level, counters_);
    } else {
      launch(session_, shape, update_kernel<warp_size, T>, factors_, plan_, level, counters_);
    }
  }

 private:
  // A stream level gets more blocks than the card holds, so that the scheduler evens them out.
  static constexpr Offset stream_rounds = 4;

  static LaunchShape shape_of(Offset warps) {
    return {ceil_div(warps * warp_size, threads), threads};
  }

  DeviceSession& session_;
  FactorsRef<T> factors_;
  PlanRef plan_;
  PivotRule<T> rule_;
  NumericCounters* counters_;
};

}  // namespace

template <class T>
void run_levels(DeviceSession& session, const FactorsRef<T>& factors, const LevelPlan& plan,
                const DeviceColumnSchedule& schedule, T smallest_pivot, NumericCounters* counters) {
  const PlanRef view{schedule.columns.data(), schedule.level_ptr.data(), plan.tile_ptr.data()};
  LevelRunner<T> runner(session, factors, view, smallest_pivot, counters);
  const std::size_t levels = plan.kernels.size();
  for (std::size_t level = 0; level < levels;) {
    std::size_t next = level;
    while (next < levels && plan.kernels[next].shape == LevelShape::small_block) ++next;
    if (next > level) {
      runner.run_small(static_cast<Index>(level), static_cast<Index>(next));
      level = next;
    } else {
      runner.run_wide(static_cast<Index>(level), plan.kernels[level]);
      ++level;
    }
  }
}

template void run_levels(DeviceSession&, const FactorsRef<float>&, const LevelPlan&,
                         const DeviceColumnSchedule&, float, NumericCounters*);
template void run_levels(DeviceSession&, const FactorsRef<double>&, const LevelPlan&,
                         const DeviceColumnSchedule&, double, NumericCounters*);

}  // namespace lufact::gpu
