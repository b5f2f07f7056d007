// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/fronts/solve/front_solve.hpp"
#include "gpu/fronts/solve/small_front_sweep.cuh"
#include "gpu/fronts/solve/tile_row_sweep.cuh"
#include "gpu/fronts/tasks/ticket_queue.cuh"

namespace lufact::gpu {
namespace {

template <class T, int columns>
union SweepMemory {
  TileRowMemory<T, columns> row;
  SmallFrontVector<T, columns> front[solve_warps];
};

// Tickets of U follow those of L, in the reverse order of the task graph: all tasks that a task
// waits for have been started before.
template <class T, int columns, Pivoting pivoting>
__global__ void __launch_bounds__(solve_threads, 2)
    solve_kernel(const __grid_constant__ SolveProblem<T> problem) {
  __shared__ SweepMemory<T, columns> memory;
  __shared__ TaskRecord record[solve_warps];
  let_next_start();
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const Index tickets = problem.plan.tickets;
  TicketQueue queue(problem.next_ticket);
#pragma unroll 1
  for (;;) {
    const Index drawn = queue.next();
    if (drawn >= 2 * tickets) break;
    const bool forwards = drawn < tickets;
    const Index ticket = forwards ? drawn : 2 * tickets - 1 - drawn;
    const Index first = problem.plan.ticket[ticket];
    const Index count = problem.plan.ticket[ticket + 1] - first;
    if (warp < count) record[warp].load(problem.plan.record[first + warp]);
    __syncthreads();
    if (record[0].shape.tiles > 0) {
      TileRowSweep<T, columns> row(problem, record[0], memory.row);
      forwards ? row.forward() : row.backward();
    } else if (warp < count) {
      SmallFrontSweep<T, columns, pivoting> front(problem, record[warp], memory.front[warp]);
      forwards ? front.forward() : front.backward();
    }
  }
  problem.idle.clear();
  if (problem.running.complete != nullptr) wait_for_previous();  // whose end is part of this one's
}

// Words of one sweep.
Offset flag_count(const DeviceTaskGraph& graph) {
  return Offset{graph.flags} + graph.fronts;
}
// Words of one solve.
Offset word_count(const DeviceTaskGraph& graph) {
  return 1 + 2 * flag_count(graph);
}

template <class T, int columns>
SolveKernel<T> kernel_with(DeviceSession& session, Pivoting pivoting) {
  const auto kernel = pivoting == Pivoting::fixed_rows
                          ? solve_kernel<T, columns, Pivoting::fixed_rows>
                          : solve_kernel<T, columns, Pivoting::diagonal_block>;
  int resident = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, solve_threads, 0));
  return {kernel, Offset{resident} * session.sm_count()};
}

// Takes the words of the turn, and makes the other turn the next one.
template <class T>
void take_turn(FrontSolveSpace<T>& space, const DeviceTaskGraph& graph, SolveProblem<T>& problem) {
  const Offset words = word_count(graph), flags = flag_count(graph);
  unsigned* const own = space.words.data() + space.turn * words;
  problem.next_ticket = own;
  problem.lower = {own + 1, own + 1 + graph.flags};
  problem.upper = {problem.lower.flag + flags, problem.lower.done + flags};
  space.turn = 1 - space.turn;
  problem.idle = {space.words.data() + space.turn * words, words};
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
      narrow(kernel_with<T, 1>(session, pivoting)),
      wide(kernel_with<T, front_solve_columns>(session, pivoting)) {
  checked_index(2 * Offset{graph.solve.tickets} + std::max(narrow.blocks, wide.blocks),
                "the tickets of a solve");
  words.fill_bytes(0);
}

template <class T>
void solve_fronts(DeviceSession& session, const DeviceFrontTree& tree, const DeviceTaskGraph& graph,
                  const TaskRecord* records, const T* factors, const unsigned char* row_source,
                  FrontSolveSpace<T>& space, const FrontVectors& vectors, Index columns,
                  const RunningFactorization& running) {
  FrontPlan plan;
  plan.shape = graph.shape.data();
  plan.record = records;
  plan.ticket = graph.solve.ticket.data();
  plan.tickets = graph.solve.tickets;
  plan.block = graph.block.data();
  plan.parent_row = tree.parent_row.data();
  SolveProblem<T> problem;
  problem.plan = plan;
  problem.factors = factors;
  problem.solution = space.solution.data();
  problem.contributions = space.contributions.data();
  problem.row = tree.row.data();
  problem.label = tree.label.data();
  problem.vectors = vectors;
  problem.n = tree.n;
  problem.row_source = row_source;
  problem.running = running;
  for (Index c = 0; c < columns;) {
    problem.vectors.b = vectors.b + Offset{c} * tree.n;
    problem.vectors.x = vectors.x + Offset{c} * tree.n;
    const bool wide = columns - c >= front_solve_columns;
    const SolveKernel<T>& kernel = wide ? space.wide : space.narrow;
    take_turn(space, graph, problem);
    const LaunchShape shape{std::min<Offset>(kernel.blocks, plan.tickets), solve_threads};
    if (running.complete == nullptr) {
      launch(session, shape, kernel.run, problem);
    } else {
      launch_early(session, shape, kernel.run, problem);
    }
    c += wide ? front_solve_columns : 1;
  }
}

template struct FrontSolveSpace<float>;
template struct FrontSolveSpace<double>;
template void solve_fronts(DeviceSession&, const DeviceFrontTree&, const DeviceTaskGraph&,
                           const TaskRecord*, const float*, const unsigned char*,
                           FrontSolveSpace<float>&, const FrontVectors&, Index,
                           const RunningFactorization&);
template void solve_fronts(DeviceSession&, const DeviceFrontTree&, const DeviceTaskGraph&,
                           const TaskRecord*, const double*, const unsigned char*,
                           FrontSolveSpace<double>&, const FrontVectors&, Index,
                           const RunningFactorization&);

}  // namespace lufact::gpu
