// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/fronts/numeric/pivot_pair.cuh"
#include "gpu/fronts/tasks/publish.cuh"
#include "gpu/systems/lane_kernels.hpp"

namespace lufact::gpu {
namespace {

constexpr int lane_warps = 4;  // of a block
constexpr int lane_threads = lane_warps * warp_size;

// Values are there from here on. Tiles wait for words, so that their kernel may start once this one
// has, and takes the place of blocks that are done.
__device__ void begin_after_previous() {
  wait_for_previous();
  let_next_start();
}

// By all threads of a warp.
__device__ Index draw_ticket(unsigned* next) {
  unsigned drawn = 0;
  if (lane_number() == 0) drawn = atomicAdd(next, 1U);
  return static_cast<Index>(__shfl_sync(full_warp, drawn, 0));
}

// `done`: words of the group.
__device__ void wait_for_children(const LaneTasks& plan, const LaneFront& front,
                                  const unsigned* done) {
  for (Index first = front.child_begin; first < front.child_end; first += warp_size) {
    wait_for_words<WarpGroup>(
        min(front.child_end - first, warp_size),
        [&](int k) { return done + plan.child[first + k].number; }, [](int) { return 1U; });
  }
}

template <class T>
class LaneFrontTask {
 public:
  __device__ LaneFrontTask(const LaneProblem<T>& problem, Index number, Index group)
      : problem_(problem),
        front_(problem.plan.front[number]),
        number_(number),
        system_(group, problem.systems),
        contributions_(system_.array(problem.contributions, problem.stride.contributions)),
        tile_(front_, system_.array(problem.factors, problem.stride.factors), contributions_) {}

  // `memory`: of the lane.
  __device__ void run(LaneArray<T> memory) const {
    unsigned* const done = problem_.done + Offset{system_.group} * problem_.plan.fronts;
    const LaneAssembly<T> assembly(tile_, contributions_, problem_.plan.parent_row);
    assembly.clear_factors();
    assembly.set(problem_.plan.entry_place + front_.graph_entry,
                 system_.array(problem_.values, problem_.stride.entries).from(front_.entry_begin),
                 front_.entry_end - front_.entry_begin);
    wait_for_children(problem_.plan, front_, done);
    assembly.clear_block();
    for (Index k = front_.child_begin; k < front_.child_end; ++k) {
      assembly.add(problem_.plan.child[k]);
    }
    LaneElimination<T, PivotPair<T>>(tile_, memory)
        .run(rule(), system_.present ? problem_.counters + system_.number : nullptr);
    if (front_.feeds_tiles && system_.present) hand_over();
    raise_flag<WarpGroup>(done + number_);
  }

 private:
  __device__ PivotRule<T> rule() const {
    const auto norm = static_cast<long long>(problem_.scaled_norm[system_.number]);
    return {static_cast<T>(problem_.pivot_threshold * __longlong_as_double(norm))};
  }

  // The contribution block to where tiles look for it, whose kernel may be running already.
  __device__ void hand_over() const {
    T* const to = problem_.system_contributions +
                  system_.number * problem_.system_stride.contributions + front_.contribution;
    const Index entries = front_.rows * front_.rows;
    for (Index e = 0; e < entries; ++e) to[e] = tile_.block[e];
    raise_own_flag(problem_.system_done + system_.number * problem_.system_stride.words +
                   front_.front);
  }

  const LaneProblem<T>& problem_;
  const LaneFront front_;
  Index number_;
  LaneSystem system_;
  LaneArray<T> contributions_;
  LaneTile<T> tile_;
};

// A warp for each ticket. All fronts that a front waits for have been started before, however few
// blocks are resident.
template <class T>
__global__ void __launch_bounds__(lane_threads, 3)
    lane_kernel(const __grid_constant__ LaneProblem<T> problem) {
  begin_after_previous();
  extern __shared__ __align__(16) char dynamic[];
  constexpr Index entries = LaneBlock<T, PivotPair<T>>::entries;
  T* const memory = reinterpret_cast<T*>(dynamic) + warp_number() * entries * lanes + lane_number();
#pragma unroll 1
  for (;;) {
    const Index drawn = draw_ticket(problem.next_ticket);
    if (drawn >= problem.order.count()) break;
    const SystemTicket next = problem.order.at(drawn);
    LaneFrontTask<T>(problem, problem.first + next.ticket, next.system).run({memory});
  }
}
template <class T>
constexpr std::size_t lane_memory_bytes = std::size_t{lane_threads} *
                                          LaneBlock<T, PivotPair<T>>::entries * sizeof(T);

template <class T>
struct LaneVectors {
  T entry[lane_warps][lane_front_order][lanes];

  __device__ LaneArray<T> own() { return {&entry[warp_number()][0][lane_number()]}; }
};

template <class T>
__device__ LaneArray<const T> constant(LaneArray<T> array) {
  return {array.base};
}

// A front's part of one sweep.
template <class T>
class LaneSolveTask {
 public:
  __device__ LaneSolveTask(const LaneSolveProblem<T>& problem, Index number, Index group,
                           LaneArray<T> vector)
      : problem_(problem),
        front_(problem.plan.front[number]),
        number_(number),
        system_(group, problem.systems),
        done_(problem.done + Offset{group} * problem.plan.fronts),
        solution_(system_.array(problem.solution, problem.stride.n)),
        sweep_(front_, system_.array(problem.factors, problem.stride.factors), vector) {}

  __device__ void forward() const {
    const LaneArray<T> contributions =
        system_.array(problem_.contributions, problem_.stride.solve_contributions);
    sweep_.begin(constant(solution_));
    wait_for_children(problem_.plan, front_, done_);
    for (Index k = front_.child_begin; k < front_.child_end; ++k) {
      sweep_.add(problem_.plan.child[k], problem_.plan.parent_row, constant(contributions));
    }
    for (Index i = 0; i < front_.pivots; ++i) solution_[front_.first + i] = sweep_.forward(i);
    front_.feeds_tiles ? hand_over() : contribute(contributions.from(front_.parent_rows));
    raise_flag<WarpGroup>(done_ + number_);
  }

  __device__ void backward() const {
    if (front_.parent >= 0) {
      wait_for_words<WarpGroup>(
          1, [&](int) { return done_ + front_.parent; }, [](int) { return 1U; });
    }
    sweep_.gather(constant(solution_), problem_.plan.row);
    for (Index i = 0; i < front_.pivots; ++i) solution_[front_.first + i] = sweep_.backward(i);
    raise_flag<WarpGroup>(done_ + number_);
  }

 private:
  __device__ void contribute(LaneArray<T> to) const {
    for (Index i = 0; i < front_.rows; ++i) to[i] = sweep_.forward(front_.pivots + i);
  }
  // To where tiles look for it, as LaneFrontTask.
  __device__ void hand_over() const {
    if (!system_.present) return;
    T* const to = problem_.system_contributions +
                  system_.number * problem_.system_stride.solve_contributions + front_.parent_rows;
    for (Index i = 0; i < front_.rows; ++i) to[i] = sweep_.forward(front_.pivots + i);
    raise_own_flag(problem_.system_done + system_.number * problem_.system_stride.solve_words +
                   front_.front);
  }

  const LaneSolveProblem<T>& problem_;
  const LaneFront front_;
  Index number_;
  LaneSystem system_;
  unsigned* done_;
  LaneArray<T> solution_;
  LaneSweep<T> sweep_;
};

template <class T>
__global__ void __launch_bounds__(lane_threads, 4)
    lane_forward_kernel(const __grid_constant__ LaneSolveProblem<T> problem) {
  begin_after_previous();
  __shared__ LaneVectors<T> vectors;
#pragma unroll 1
  for (;;) {
    const Index drawn = draw_ticket(problem.next_ticket);
    if (drawn >= problem.order.count()) break;
    const SystemTicket next = problem.order.at(drawn);
    LaneSolveTask<T>(problem, next.ticket, next.system, vectors.own()).forward();
  }
}

template <class T>
__global__ void __launch_bounds__(lane_threads, 6)
    lane_backward_kernel(const __grid_constant__ LaneSolveProblem<T> problem) {
  begin_after_previous();
  __shared__ LaneVectors<T> vectors;
#pragma unroll 1
  for (;;) {
    const Index drawn = draw_ticket(problem.next_ticket);
    if (drawn >= problem.order.count()) break;
    const SystemTicket next = problem.order.at(drawn);
    const Index front = problem.order.tickets - 1 - next.ticket;
    LaneSolveTask<T>(problem, front, next.system, vectors.own()).backward();
  }
}

template <class Kernel>
Offset resident(DeviceSession& session, Kernel* kernel, std::size_t shared_bytes) {
  int blocks = 0;
  LUFACT_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, lane_threads, shared_bytes));
  return Offset{blocks} * session.sm_count();
}

Offset blocks_for(const SystemTickets& order, Offset most) {
  return std::min<Offset>(most, ceil_div(order.count(), lane_warps));
}

}  // namespace

template <class T>
LaneBlocks resident_lane_blocks(DeviceSession& session) {
  LUFACT_CUDA(cudaFuncSetAttribute(lane_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(lane_memory_bytes<T>)));
  return {resident(session, lane_kernel<T>, lane_memory_bytes<T>),
          resident(session, lane_forward_kernel<T>, 0),
          resident(session, lane_backward_kernel<T>, 0)};
}

template <class T>
void eliminate_by_lanes(DeviceSession& session, const LaneProblem<T>& problem, Offset blocks) {
  launch_early(session, {blocks_for(problem.order, blocks), lane_threads, lane_memory_bytes<T>},
               lane_kernel<T>, problem);
}
template <class T>
void solve_forward_by_lanes(DeviceSession& session, const LaneSolveProblem<T>& problem,
                            Offset blocks) {
  launch_early(session, {blocks_for(problem.order, blocks), lane_threads}, lane_forward_kernel<T>,
               problem);
}
template <class T>
void solve_backward_by_lanes(DeviceSession& session, const LaneSolveProblem<T>& problem,
                             Offset blocks) {
  launch_early(session, {blocks_for(problem.order, blocks), lane_threads}, lane_backward_kernel<T>,
               problem);
}

template LaneBlocks resident_lane_blocks<float>(DeviceSession&);
template LaneBlocks resident_lane_blocks<double>(DeviceSession&);
template void eliminate_by_lanes(DeviceSession&, const LaneProblem<float>&, Offset);
template void eliminate_by_lanes(DeviceSession&, const LaneProblem<double>&, Offset);
template void solve_forward_by_lanes(DeviceSession&, const LaneSolveProblem<float>&, Offset);
template void solve_forward_by_lanes(DeviceSession&, const LaneSolveProblem<double>&, Offset);
template void solve_backward_by_lanes(DeviceSession&, const LaneSolveProblem<float>&, Offset);
template void solve_backward_by_lanes(DeviceSession&, const LaneSolveProblem<double>&, Offset);

}  // namespace lufact::gpu
