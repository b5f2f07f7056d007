// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/fronts/solve/front_solve.hpp"
#include "gpu/fronts/solve/solve_ticket.cuh"
#include "gpu/fronts/tasks/ticket_queue.cuh"

namespace lufact::gpu {
namespace {

// One right-hand side is swept by the longest path of fronts, several by what they move.
template <int columns>
constexpr HandOver way_of = columns == 1 ? HandOver::by_values : HandOver::by_words;

// Tickets of U follow those of L, in the reverse order of the task graph: all tasks that a task
// waits for have been started before.
template <class T, int columns, Pivoting pivoting>
__global__ void __launch_bounds__(solve_threads, 2)
    solve_kernel(const __grid_constant__ ValueSolveProblem<T> problem, SolveLeg leg) {
  __shared__ SweepMemory<T, columns> memory;
  __shared__ TaskRecord record[solve_warps];
  let_next_start();
  const SolveTickets<T, columns, way_of<columns>> tickets{memory, record};
  TicketQueue queue(problem.next_ticket);
#pragma unroll 1
  for (;;) {
    const Index drawn = leg.first + queue.next();
    if (drawn >= leg.end) break;
    tickets.template run<pivoting>(problem.plan, problem, drawn);
  }
  problem.idle.clear();
  problem.idle_solutions.clear();
  problem.idle_contributions.clear();
  if (problem.running.complete != nullptr) wait_for_previous();  // whose end is part of this one's
}

// Words of one sweep.
Offset flag_count(const DeviceTaskGraph& graph) {
  return Offset{graph.flags} + graph.fronts;
}
// Words of one solve.
Offset word_count(const DeviceTaskGraph& graph, const std::vector<SolveLeg>& legs) {
  return static_cast<Offset>(legs.size()) + 2 * flag_count(graph);
}

std::vector<SolveLeg> legs_of(const DeviceTaskGraph& graph) {
  if (!graph.solve_end.empty()) return solve_legs(graph.solve_end);
  return solve_legs(std::vector{graph.solve.tickets});
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
  const Offset words = word_count(graph, space.legs), flags = flag_count(graph);
  unsigned* const own = space.words.data() + space.turn * words;
  unsigned* const first_flag = own + space.legs.size();
  problem.next_ticket = own;
  problem.lower = {first_flag, first_flag + graph.flags};
  problem.upper = {problem.lower.flag + flags, problem.lower.done + flags};
  space.turn = 1 - space.turn;
  problem.idle = {space.words.data() + space.turn * words, words};
}

template <class T>
void take_arrays(FrontSolveSpace<T>& space, ValueSolveProblem<T>& problem) {
  problem.solution = space.solution.data();
  problem.contributions = space.contributions.data();
  problem.idle_solutions = problem.idle_contributions = {};
  space.values_are_clear = false;
}
template <class T>
void mark_absent(DeviceSession& session, T* values, Offset count) {
  LUFACT_CUDA(cudaMemsetAsync(values, 0xff, checked_bytes(count, sizeof(T)), session.stream()));
}
// Arrays of solves whose values are handed over: for each turn a part of those of several columns,
// which leave both parts full. Each such solve clears the other part.
template <class T>
void take_values(DeviceSession& session, FrontSolveSpace<T>& space, Index n,
                 ValueSolveProblem<T>& problem) {
  static_assert(front_solve_columns >= 4);
  const Offset solutions = 2 * Offset{n};
  const Offset contributions = space.contributions.size() / front_solve_columns;
  const int own = 1 - space.turn, other = space.turn;  // take_turn() has gone on
  problem.solution = space.solution.data() + own * solutions;
  problem.lower_solution = problem.solution + n;
  problem.contributions = space.contributions.data() + own * contributions;
  problem.idle_solutions = {space.solution.data() + other * solutions, solutions};
  problem.idle_contributions = {space.contributions.data() + other * contributions, contributions};
  if (!space.values_are_clear) {
    mark_absent(session, problem.solution, solutions);
    mark_absent(session, problem.contributions, contributions);
    space.values_are_clear = true;
  }
}

// Both sweeps for the columns of the problem, one leg after the other.
template <class T>
void launch_legs(DeviceSession& session, const FrontSolveSpace<T>& space,
                 const SolveKernel<T>& kernel, FactorStore<T>& factors,
                 ValueSolveProblem<T> problem) {
  for (std::size_t k = 0; k < space.legs.size(); ++k) {
    const SolveLeg& leg = space.legs[k];
    const Index next = k + 1 < space.legs.size() ? space.legs[k + 1].part : -1;
    problem.factors = factors.begin_reading(leg.part, next);
    const LaunchShape shape{std::min<Offset>(kernel.blocks, leg.tickets), solve_threads};
    if (problem.running.complete == nullptr) {
      launch(session, shape, kernel.run, problem, leg);
    } else {
      launch_early(session, shape, kernel.run, problem, leg);
    }
    factors.end_reading(leg.part);
    ++problem.next_ticket;
    // Cleared by the first.
    problem.idle = {};
    problem.idle_solutions = problem.idle_contributions = {};
  }
}

}  // namespace

template <class T>
FrontSolveSpace<T>::FrontSolveSpace(DeviceSession& session, const DeviceFrontTree& tree,
                                    const DeviceTaskGraph& graph, Pivoting pivoting)
    : solution(session, MemoryRole::resident, Offset{tree.n} * front_solve_columns,
               "solutions of fronts"),
      contributions(session, MemoryRole::resident, tree.row.size() * front_solve_columns,
                    "contributions of the solves"),
      legs(legs_of(graph)),
      words(session, MemoryRole::resident, 2 * word_count(graph, legs), "flags of the solves"),
      narrow(kernel_with<T, 1>(session, pivoting)),
      wide(kernel_with<T, front_solve_columns>(session, pivoting)) {
  checked_index(2 * Offset{graph.solve.tickets} + std::max(narrow.blocks, wide.blocks),
                "the tickets of a solve");
  words.fill_bytes(0);
}

template <class T>
void solve_fronts(DeviceSession& session, const DeviceFrontTree& tree, const DeviceTaskGraph& graph,
                  const TaskRecord* records, FactorStore<T>& factors,
                  const unsigned char* row_source, FrontSolveSpace<T>& space,
                  const FrontVectors& vectors, Index columns, const RunningFactorization& running) {
  FrontPlan plan;
  plan.shape = graph.shape.data();
  plan.record = records;
  plan.ticket = graph.solve.ticket.data();
  plan.tickets = graph.solve.tickets;
  plan.block = graph.block.data();
  plan.parent_row = tree.parent_row.data();
  ValueSolveProblem<T> problem;
  problem.plan = plan;
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
    wide ? take_arrays(space, problem) : take_values(session, space, tree.n, problem);
    launch_legs(session, space, kernel, factors, problem);
    c += wide ? front_solve_columns : 1;
  }
}

template struct FrontSolveSpace<float>;
template struct FrontSolveSpace<double>;
template void solve_fronts(DeviceSession&, const DeviceFrontTree&, const DeviceTaskGraph&,
                           const TaskRecord*, FactorStore<float>&, const unsigned char*,
                           FrontSolveSpace<float>&, const FrontVectors&, Index,
                           const RunningFactorization&);
template void solve_fronts(DeviceSession&, const DeviceFrontTree&, const DeviceTaskGraph&,
                           const TaskRecord*, FactorStore<double>&, const unsigned char*,
                           FrontSolveSpace<double>&, const FrontVectors&, Index,
                           const RunningFactorization&);

}  // namespace lufact::gpu
