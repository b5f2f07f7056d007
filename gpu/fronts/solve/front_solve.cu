// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/base/error.hpp"
#include "gpu/fronts/solve/front_solve.hpp"
#include "gpu/fronts/solve/solve_ticket.cuh"
#include "gpu/fronts/tasks/shared_problem.cuh"
#include "gpu/fronts/tasks/ticket_queue.cuh"

namespace lufact::gpu {
namespace {

// One right-hand side is swept by the longest path of fronts, several by what they move.
template <int columns>
constexpr HandOver way_of = columns == 1 ? HandOver::by_values : HandOver::by_words;

// Tickets of U follow those of L, in the reverse order of the task graph: all tasks that a task
// waits for have been started before.
template <Pivoting pivoting, class Tickets, class Problem>
__device__ void take_tickets(const Tickets& tickets, const FrontPlan& plan, const Problem& problem,
                             const SolveLeg& leg) {
  TicketQueue queue(problem.next_ticket);
#pragma unroll 1
  for (;;) {
    const Index drawn = leg.first + queue.next();
    if (drawn >= leg.end) break;
    tickets.template run<pivoting>(plan, problem, drawn);
  }
}

template <class T, int columns, Pivoting pivoting>
__global__ void __launch_bounds__(solve_threads, 2)
    solve_kernel(const __grid_constant__ ValueSolveProblem<T> problem, SolveLeg leg) {
  __shared__ SweepMemory<T, columns, way_of<columns>> memory;
  __shared__ TaskRecord record[solve_warps];
  let_next_start();
  const SolveTickets<T, columns, way_of<columns>> tickets{memory, record};
  take_tickets<pivoting>(tickets, problem.plan, problem, leg);
  problem.idle.clear();
  problem.idle_solutions.clear();
  problem.idle_contributions.clear();
  if (problem.running.complete != nullptr) wait_for_previous();  // whose end is part of this one's
}

template <class T>
using ManyMemory = SweepMemory<T, many_columns, HandOver::by_words>;

// A block takes the tickets of one sweep.
template <class T, Pivoting pivoting, bool transposed>
__global__ void __launch_bounds__(solve_threads, 2)
    many_columns_kernel(const __grid_constant__ ManySolveProblem<T> problem, SolveLeg leg) {
  extern __shared__ __align__(16) char dynamic[];
  __shared__ TaskRecord record[solve_warps];
  __shared__ SharedProblem<SolveProblem<T>> own;
  if (threadIdx.x == 0) own.get() = problem.of(static_cast<Index>(blockIdx.x) % problem.sweeps);
  __syncthreads();
  const SolveTickets<T, many_columns, HandOver::by_words, transposed> tickets{
      *reinterpret_cast<ManyMemory<T>*>(dynamic), record};
  take_tickets<pivoting>(tickets, problem.plan, own.get(), leg);
  problem.idle.clear();
}

// Flags of one factor.
Offset flag_count(const DeviceTaskGraph& graph) {
  return Offset{graph.flags} + graph.fronts;
}
// Words of one sweep through both factors.
Offset word_count(const DeviceTaskGraph& graph, const std::vector<SolveLeg>& legs) {
  return static_cast<Offset>(legs.size()) + 2 * flag_count(graph);
}

std::vector<SolveLeg> legs_of(const DeviceTaskGraph& graph) {
  if (!graph.solve_end.empty()) return solve_legs(graph.solve_end);
  return solve_legs(std::vector{graph.solve.tickets});
}

template <class T, int columns>
SolveKernel<ValueSolveProblem<T>> kernel_with(DeviceSession& session, Pivoting pivoting) {
  const auto kernel = pivoting == Pivoting::fixed_rows
                          ? solve_kernel<T, columns, Pivoting::fixed_rows>
                          : solve_kernel<T, columns, Pivoting::diagonal_block>;
  int resident = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, solve_threads, 0));
  return {kernel, Offset{resident} * session.sm_count()};
}

// Without blocks where multiprocessors have too little shared memory.
template <class T, bool transposed>
SolveKernel<ManySolveProblem<T>> many_columns_kernel_with(DeviceSession& session,
                                                          Pivoting pivoting) {
  const auto kernel = pivoting == Pivoting::fixed_rows
                          ? many_columns_kernel<T, Pivoting::fixed_rows, transposed>
                          : many_columns_kernel<T, Pivoting::diagonal_block, transposed>;
  constexpr std::size_t bytes = sizeof(ManyMemory<T>);
  int most = 0, resident = 0;
  LUFACT_CUDA(
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, session.device()));
  cudaFuncAttributes own{};
  LUFACT_CUDA(cudaFuncGetAttributes(&own, kernel));
  if (static_cast<std::size_t>(most) < bytes + own.sharedSizeBytes) {
    return {kernel, 0, bytes};
  }
  LUFACT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(bytes)));
  LUFACT_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, solve_threads, bytes));
  return {kernel, Offset{resident} * session.sm_count(), bytes};
}

// Takes the words of the turn, and makes the other turn the next one.
template <class T>
void take_turn(FrontSolveSpace<T>& space, const DeviceTaskGraph& graph, SolveProblem<T>& problem) {
  const Offset words = space.words.size() / 2, flags = flag_count(graph);
  unsigned* const own = space.words.data() + space.turn * words;
  unsigned* const first_flag = own + space.legs.size();
  problem.next_ticket = own;
  problem.lower = {first_flag, first_flag + graph.flags};
  problem.upper = {problem.lower.flag + flags, problem.lower.done + flags};
  space.turn = 1 - space.turn;
  problem.idle = {space.words.data() + space.turn * words, words};
}

template <class T>
void take_arrays(FrontSolveSpace<T>& space, SolveProblem<T>& problem) {
  problem.solution = space.solution.data();
  problem.contributions = space.contributions.data();
  space.values_are_clear = false;
}
template <class T>
void mark_absent(DeviceSession& session, T* values, Offset count) {
  LUFACT_CUDA(cudaMemsetAsync(values, 0xff, checked_bytes(count, sizeof(T)), session.stream()));
}
// Arrays of solves whose values are handed over: for each turn a part of those of several columns,
// which leave both parts full. Each such solve clears the other part.
template <class T>
void take_values(DeviceSession& session, FrontSolveSpace<T>& space, ValueSolveProblem<T>& problem) {
  static_assert(front_solve_columns >= 4);
  const Index n = problem.n;
  const Offset solutions = 2 * Offset{n};
  const Offset contributions = space.contributions.size() / solve_columns(space.sweeps);
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

template <class T>
void forget_idle(ManySolveProblem<T>& problem) {
  problem.idle = {};
}
template <class T>
void forget_idle(ValueSolveProblem<T>& problem) {
  problem.idle = {};
  problem.idle_solutions = problem.idle_contributions = {};
}

// Both sweeps for the columns of the problem, one leg after the other, with up to `blocks` blocks
// for `sweeps` of them side by side.
template <class T, class Problem>
void launch_legs(DeviceSession& session, const FrontSolveSpace<T>& space,
                 const SolveKernel<Problem>& kernel, Index sweeps, FactorStore<T>& factors,
                 Problem problem) {
  const Offset blocks = std::max<Offset>(kernel.blocks / sweeps, 1);
  for (std::size_t k = 0; k < space.legs.size(); ++k) {
    const SolveLeg& leg = space.legs[k];
    const Index next = k + 1 < space.legs.size() ? space.legs[k + 1].part : -1;
    problem.factors = factors.begin_reading(leg.part, next);
    const LaunchShape shape{sweeps * std::min<Offset>(blocks, leg.tickets), solve_threads,
                            kernel.shared_bytes};
    if (problem.running.complete == nullptr) {
      launch(session, shape, kernel.run, problem, leg);
    } else {
      launch_early(session, shape, kernel.run, problem, leg);
    }
    factors.end_reading(leg.part);
    ++problem.next_ticket;
    forget_idle(problem);  // cleared by the first
  }
}

// For one right-hand side or front_solve_columns. Returns for how many.
template <class T>
Index solve_for_few(DeviceSession& session, FactorStore<T>& factors, FrontSolveSpace<T>& space,
                    const SolveProblem<T>& common, Index left) {
  const bool wide = left >= front_solve_columns;
  ValueSolveProblem<T> problem{common, nullptr, {}, {}};
  wide ? take_arrays(space, problem) : take_values(session, space, problem);
  launch_legs(session, space, wide ? space.wide : space.narrow, 1, factors, problem);
  return wide ? front_solve_columns : 1;
}

// For as many as there are arrays for. Returns for how many.
template <class T>
Index solve_for_many(DeviceSession& session, FactorStore<T>& factors, FrontSolveSpace<T>& space,
                     const SolveProblem<T>& common, Index left, bool transposed) {
  ManySolveProblem<T> problem{common};
  take_arrays(space, problem);
  problem.live_columns = std::min(left, solve_columns(space.sweeps));
  problem.sweeps = many_sweeps(problem.live_columns, transposed);
  problem.words = space.words.size() / 2 / space.sweeps;
  problem.contribution_rows = space.contributions.size() / solve_columns(space.sweeps);
  launch_legs(session, space, transposed ? space.transposed : space.many, problem.sweeps, factors,
              problem);
  return problem.live_columns;
}

}  // namespace

template <class T>
FrontSolveSpace<T>::FrontSolveSpace(DeviceSession& session, const DeviceFrontTree& tree,
                                    const DeviceTaskGraph& graph, const StageOptions& options)
    : sweeps(many_sweeps(options.rhs, options.transposed)),
      solution(session, MemoryRole::resident, Offset{tree.n} * solve_columns(sweeps),
               "solutions of fronts"),
      contributions(session, MemoryRole::resident, tree.row.size() * solve_columns(sweeps),
                    "contributions of the solves"),
      legs(legs_of(graph)),
      words(session, MemoryRole::resident, 2 * std::max<Index>(sweeps, 1) * word_count(graph, legs),
            "flags of the solves"),
      narrow(kernel_with<T, 1>(session, options.pivoting)),
      wide(kernel_with<T, front_solve_columns>(session, options.pivoting)),
      many(many_columns_kernel_with<T, false>(session, options.pivoting)),
      transposed(many_columns_kernel_with<T, true>(session, options.pivoting)) {
  checked_index(2 * Offset{graph.solve.tickets} +
                    std::max({narrow.blocks, wide.blocks, many.blocks, transposed.blocks}),
                "the tickets of a solve");
  words.fill_bytes(0);
}

template <class T>
void solve_fronts(DeviceSession& session, const DeviceFrontTree& tree, const DeviceTaskGraph& graph,
                  const TaskRecord* records, FactorStore<T>& factors,
                  const unsigned char* row_source, FrontSolveSpace<T>& space,
                  const FrontVectors& vectors, Index columns, bool transposed,
                  const RunningFactorization& running) {
  if (transposed && space.sweeps == 0) {
    throw std::logic_error("a transposed solve that the options did not tell of");
  }
  if (transposed && space.transposed.blocks == 0) {
    throw Error(Outcome::unsupported, "shared_memory",
                "transposed solves by fronts take " +
                    std::to_string(space.transposed.shared_bytes) +
                    " bytes of shared memory a block, which this device does not have; take "
                    "--mode fast-cpu");
  }
  FrontPlan plan;
  plan.shape = graph.shape.data();
  plan.record = records;
  plan.ticket = graph.solve.ticket.data();
  plan.tickets = graph.solve.tickets;
  plan.block = graph.block.data();
  plan.parent_row = tree.parent_row.data();
  SolveProblem<T> problem;
  problem.plan = plan;
  problem.row = tree.row.data();
  problem.label = tree.label.data();
  problem.vectors = vectors;
  problem.n = tree.n;
  problem.row_source = row_source;
  problem.running = running;
  const bool with_many = space.sweeps > 0 && space.many.blocks > 0;
  for (Index c = 0; c < columns;) {
    problem.vectors.b = vectors.b + Offset{c} * tree.n;
    problem.vectors.x = vectors.x + Offset{c} * tree.n;
    take_turn(space, graph, problem);
    const Index left = columns - c;
    c += transposed || (with_many && left >= fewest_many_columns)
             ? solve_for_many(session, factors, space, problem, left, transposed)
             : solve_for_few(session, factors, space, problem, left);
  }
}

template struct FrontSolveSpace<float>;
template struct FrontSolveSpace<double>;
template void solve_fronts(DeviceSession&, const DeviceFrontTree&, const DeviceTaskGraph&,
                           const TaskRecord*, FactorStore<float>&, const unsigned char*,
                           FrontSolveSpace<float>&, const FrontVectors&, Index, bool,
                           const RunningFactorization&);
template void solve_fronts(DeviceSession&, const DeviceFrontTree&, const DeviceTaskGraph&,
                           const TaskRecord*, FactorStore<double>&, const unsigned char*,
                           FrontSolveSpace<double>&, const FrontVectors&, Index, bool,
                           const RunningFactorization&);

}  // namespace lufact::gpu
