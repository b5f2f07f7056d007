// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "core/fronts/plan/dense_front.hpp"
#include "core/fronts/plan/diagonal_tiles.hpp"
#include "gpu/dense/ours/dense_front.hpp"
#include "gpu/dense/ours/front_kernels.hpp"
#include "gpu/fronts/tasks/front_problem.cuh"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu::blocked {
namespace {

std::vector<TaskRecord> records_of(const TaskGraph& graph) {
  std::vector<TaskRecord> records;
  records.reserve(graph.factorization.task.size());
  for (const FrontTask& task : graph.factorization.task) {
    records.push_back({task, graph.shape.front()});
  }
  return records;
}

// The largest order with a chain. Beyond it the other blocks have more to do, and two blocks of
// doubles have room on a multiprocessor in place of three: in trials on an H200 order 3000 took
// 0.83 times as long with the chain, order 4096 1.06 times.
constexpr Index largest_chained_order = 3400;

// Up to this order a multiprocessor has one block, so that the chain has none beside it: in the
// same trials order 2048 took 0.95 times as long so, order 3000 1.26 times.
constexpr Index largest_order_alone = 2048;

// Blocks where one of them has the chain; 0 where there can be none.
template <class T>
Offset chained_blocks(const DeviceSession& session, Index order) {
  if (order <= tile_order) return 0;
  const Offset resident = resident_chained_blocks<T>(session);
  const Offset blocks =
      order <= largest_order_alone ? std::min<Offset>(resident, session.sm_count()) : resident;
  return blocks < 2 ? 0 : blocks;
}

}  // namespace

template <class T>
struct DenseFront<T>::Plan {
  Plan(DeviceSession& session, const TaskGraph& graph, DiagonalWay way)
      : shape(graph.shape.front()),
        tickets(graph.factorization.tickets()),
        records(upload_copy(session, MemoryRole::scratch,
                            std::span<const TaskRecord>(records_of(graph)), "tasks of tiles")),
        factors(session, MemoryRole::scratch, graph.factor_entries, "factors in tiles"),
        left_for_chain(session, MemoryRole::scratch,
                       way == DiagonalWay::chain
                           ? (shape.tiles - Offset{1}) * chain_tiles * tile_order * tile_order
                           : 0,
                       "tiles beside the diagonal"),
        words(session, MemoryRole::scratch, 1 + Offset{graph.flags}, "flags of tiles"),
        counters(session, MemoryRole::scratch, 1, "counters of pivots") {
    // No kernel writes the other triangle and the padding of tiles on the diagonal.
    factors.fill_bytes(0);
    words.fill_bytes(0);
    counters.fill_bytes(0);
  }

  FrontShape shape;
  Index tickets;
  Buffer<TaskRecord> records;
  Buffer<T> factors;
  Buffer<T> left_for_chain;
  Buffer<unsigned> words;  // the next ticket, flags of tiles
  Buffer<NumericCounters> counters;
};

DiagonalWay diagonal_way(Index order) {
  return order <= largest_chained_order ? DiagonalWay::chain : DiagonalWay::tasks;
}

template <class T>
DenseFront<T>::DenseFront(DeviceSession& session, Index order, int threads, DiagonalWay way)
    : session_(session),
      order_(order),
      blocks_(way == DiagonalWay::chain ? chained_blocks<T>(session, order) : 0),
      way_(blocks_ > 0 ? DiagonalWay::chain : DiagonalWay::tasks),
      plan_(std::make_unique<Plan>(session, dense_front_graph(order, threads), way_)) {
  if (way_ == DiagonalWay::tasks) blocks_ = resident_front_blocks<T>(session);
  blocks_ = std::min<Offset>(blocks_, plan_->tickets);
}

template <class T>
DenseFront<T>::~DenseFront() = default;

template <class T>
void DenseFront<T>::factor(T* a, Offset ld) {
  plan_->words.fill_bytes(0);
  FrontProblem<T> problem;
  problem.plan.record = plan_->records.data();
  problem.plan.tickets = plan_->tickets;
  problem.sync.next_ticket = plan_->words.data();
  problem.sync.flag = plan_->words.data() + 1;
  problem.factors = plan_->factors.data();
  problem.counters = plan_->counters.data();
  factor_front(session_, blocks_, problem, plan_->shape,
               ChainedTiles<T>{
                   {a, ld}, way_ == DiagonalWay::chain ? plan_->left_for_chain.data() : nullptr});
}

template <class T>
Offset DenseFront<T>::tiles_without_inverses() const {
  const std::vector<unsigned> words = plan_->words.download();
  return std::count(words.begin() + 1, words.end(), stored_factors);
}

template class DenseFront<float>;
template class DenseFront<double>;

}  // namespace lufact::gpu::blocked
