// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/fronts/front_solve.hpp"
#include "gpu/fronts/small_front_sweep.cuh"
#include "gpu/fronts/ticket_queue.cuh"
#include "gpu/fronts/tile_row_sweep.cuh"

namespace lufact::gpu {
namespace {

template <class T, int columns>
union SweepMemory {
  TileRowMemory<T, columns> row;
  SmallFrontVector<T, columns> front[solve_warps];
};

template <class T, int columns, bool lower, Pivoting pivoting>
__global__ void __launch_bounds__(solve_threads, 2)
    sweep_kernel(const __grid_constant__ SolveProblem<T> problem) {
  __shared__ SweepMemory<T, columns> memory;
  __shared__ TaskRecord record[solve_warps];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  TicketQueue queue(problem.sync.next_ticket);
#pragma unroll 1
  for (;;) {
    const Index drawn = queue.next();
    if (drawn >= problem.plan.tickets) return;
    const Index ticket = lower ? drawn : problem.plan.tickets - 1 - drawn;
    const Index first = problem.plan.ticket[ticket];
    const Index count = problem.plan.ticket[ticket + 1] - first;
    if (warp < count) record[warp].load(problem.plan.record[first + warp]);
    __syncthreads();
    if (record[0].shape.tiles > 0) {
      TileRowSweep<T, columns>(problem, record[0], memory.row).template run<lower>();
    } else if (warp < count) {
      SmallFrontSweep<T, columns, pivoting>(problem, record[warp], memory.front[warp])
          .template run<lower>();
    }
  }
}

template <class T>
void sweep(DeviceSession& session, void (*kernel)(SolveProblem<T>),
           const SolveProblem<T>& problem) {
  int resident = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, solve_threads, 0));
  const Offset blocks =
      std::min<Offset>(Offset{resident} * session.sm_count(), problem.plan.tickets);
  launch(session, {blocks, solve_threads}, kernel, problem);
}

// Exchanged rows are behind a solve once the sweep with L is: the other has one kernel.
template <class T, int columns>
auto lower_sweep_with(Pivoting pivoting) {
  return pivoting == Pivoting::fixed_rows
             ? sweep_kernel<T, columns, true, Pivoting::fixed_rows>
             : sweep_kernel<T, columns, true, Pivoting::diagonal_block>;
}

}  // namespace

template <class T>
FrontSolveSpace<T>::FrontSolveSpace(DeviceSession& session, const DeviceFrontTree& tree,
                                    const DeviceTaskGraph& graph)
    : solution(session, MemoryRole::resident, Offset{tree.n} * front_solve_columns,
               "solutions of fronts"),
      contributions(session, MemoryRole::resident, tree.row.size() * front_solve_columns,
                    "contributions of the solves"),
      words(session, MemoryRole::resident, 2 * (Offset{graph.flags} + graph.fronts + 1),
            "flags of the solves") {}

template <class T>
void solve_fronts(DeviceSession& session, const DeviceFrontTree& tree, const DeviceTaskGraph& graph,
                  const TaskRecord* records, const T* factors, const unsigned char* row_source,
                  FrontSolveSpace<T>& space, double* x, Index columns) {
  FrontPlan plan;
  plan.shape = graph.shape.data();
  plan.record = records;
  plan.ticket = graph.solve.ticket.data();
  plan.tickets = graph.solve.tickets;
  plan.block = graph.block.data();
  plan.parent_row = tree.parent_row.data();
  const auto sync_of = [&](Offset sweep_number) {
    unsigned* const words =
        space.words.data() + sweep_number * (Offset{graph.flags} + graph.fronts + 1);
    return FrontSync{words, words + 1, words + 1 + graph.flags};
  };
  SolveProblem<T> problem{plan,
                          {},
                          factors,
                          space.solution.data(),
                          space.contributions.data(),
                          tree.row.data(),
                          tree.label.data(),
                          x,
                          tree.n,
                          row_source};
  const Pivoting pivoting = row_source == nullptr ? Pivoting::fixed_rows : Pivoting::diagonal_block;
  const auto both_sweeps = [&]<int width>() {
    space.words.fill_bytes(0);
    problem.sync = sync_of(0);
    sweep(session, lower_sweep_with<T, width>(pivoting), problem);
    problem.sync = sync_of(1);
    sweep(session, sweep_kernel<T, width, false, Pivoting::fixed_rows>, problem);
  };
  for (Index c = 0; c < columns;) {
    problem.x = x + Offset{c} * tree.n;
    const bool wide = columns - c >= front_solve_columns;
    if (wide) {
      both_sweeps.template operator()<front_solve_columns>();
    } else {
      both_sweeps.template operator()<1>();
    }
    c += wide ? front_solve_columns : 1;
  }
}

template struct FrontSolveSpace<float>;
template struct FrontSolveSpace<double>;
template void solve_fronts(DeviceSession&, const DeviceFrontTree&, const DeviceTaskGraph&,
                           const TaskRecord*, const float*, const unsigned char*,
                           FrontSolveSpace<float>&, double*, Index);
template void solve_fronts(DeviceSession&, const DeviceFrontTree&, const DeviceTaskGraph&,
                           const TaskRecord*, const double*, const unsigned char*,
                           FrontSolveSpace<double>&, double*, Index);

}  // namespace lufact::gpu
