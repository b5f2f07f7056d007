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
  problem.idle.clear();
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

// Of one sweep.
Offset word_count(const DeviceTaskGraph& graph) {
  return Offset{graph.flags} + graph.fronts + 1;
}

template <class T>
SweepKernel<T> sized(DeviceSession& session, void (*kernel)(SolveProblem<T>)) {
  int resident = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, solve_threads, 0));
  return {kernel, Offset{resident} * session.sm_count()};
}

FrontSync sync_in(unsigned* words, const DeviceTaskGraph& graph) {
  return {words, words + 1, words + 1 + graph.flags};
}

template <class T>
void sweep(DeviceSession& session, const SweepKernel<T>& kernel, const SolveProblem<T>& problem) {
  const Offset blocks = std::min<Offset>(kernel.blocks, problem.plan.tickets);
  launch(session, {blocks, solve_threads}, kernel.run, problem);
}

// Exchanged rows are behind a solve once the sweep with L is: the other has one kernel.
template <class T, int columns>
auto lower_sweep_with(Pivoting pivoting) {
  return pivoting == Pivoting::fixed_rows
             ? sweep_kernel<T, columns, true, Pivoting::fixed_rows>
             : sweep_kernel<T, columns, true, Pivoting::diagonal_block>;
}

template <class T, int columns>
SolveKernels<T> kernels_with(DeviceSession& session, Pivoting pivoting) {
  return {sized<T>(session, lower_sweep_with<T, columns>(pivoting)),
          sized<T>(session, sweep_kernel<T, columns, false, Pivoting::fixed_rows>)};
}

}  // namespace

template <class T>
FrontSolveSpace<T>::FrontSolveSpace(DeviceSession& session, const DeviceFrontTree& tree,
                                    const DeviceTaskGraph& graph, Pivoting pivoting)
    : solution(session, MemoryRole::resident, Offset{tree.n} * front_solve_columns,
               "solutions of fronts"),
      contributions(session, MemoryRole::resident, tree.row.size() * front_solve_columns,
                    "contributions of the solves"),
      words(session, MemoryRole::resident, 2 * word_count(graph), "flags of the solves"),
      narrow(kernels_with<T, 1>(session, pivoting)),
      wide(kernels_with<T, front_solve_columns>(session, pivoting)) {
  words.fill_bytes(0);
}

template <class T>
void solve_fronts(DeviceSession& session, const DeviceFrontTree& tree, const DeviceTaskGraph& graph,
                  const TaskRecord* records, const T* factors, const unsigned char* row_source,
                  FrontSolveSpace<T>& space, const FrontVectors& vectors, Index columns) {
  FrontPlan plan;
  plan.shape = graph.shape.data();
  plan.record = records;
  plan.ticket = graph.solve.ticket.data();
  plan.tickets = graph.solve.tickets;
  plan.block = graph.block.data();
  plan.parent_row = tree.parent_row.data();
  SolveProblem<T> problem{plan,
                          {},
                          factors,
                          space.solution.data(),
                          space.contributions.data(),
                          tree.row.data(),
                          tree.label.data(),
                          vectors,
                          tree.n,
                          row_source,
                          {}};
  const Offset words = word_count(graph);
  unsigned* const lower_words = space.words.data();
  unsigned* const upper_words = lower_words + words;
  for (Index c = 0; c < columns;) {
    problem.vectors.b = vectors.b + Offset{c} * tree.n;
    problem.vectors.x = vectors.x + Offset{c} * tree.n;
    const bool wide = columns - c >= front_solve_columns;
    const SolveKernels<T>& kernels = wide ? space.wide : space.narrow;
    problem.sync = sync_in(lower_words, graph);
    problem.idle = {upper_words, words};
    sweep(session, kernels.lower, problem);
    problem.sync = sync_in(upper_words, graph);
    problem.idle = {lower_words, words};
    sweep(session, kernels.upper, problem);
    c += wide ? front_solve_columns : 1;
  }
}

template struct FrontSolveSpace<float>;
template struct FrontSolveSpace<double>;
template void solve_fronts(DeviceSession&, const DeviceFrontTree&, const DeviceTaskGraph&,
                           const TaskRecord*, const float*, const unsigned char*,
                           FrontSolveSpace<float>&, const FrontVectors&, Index);
template void solve_fronts(DeviceSession&, const DeviceFrontTree&, const DeviceTaskGraph&,
                           const TaskRecord*, const double*, const unsigned char*,
                           FrontSolveSpace<double>&, const FrontVectors&, Index);

}  // namespace lufact::gpu
