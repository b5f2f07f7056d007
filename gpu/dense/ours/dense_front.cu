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

// The largest order whose tiles on the diagonal are one block's: beyond it the memory of the chain,
// which leaves room for two blocks of a multiprocessor in place of three, costs more than it gains.
template <class T>
constexpr Index largest_chained_order = 8192;

// Up to this order a multiprocessor has one block: the chain is what takes the time, and takes less
// without another block beside it.
constexpr Index largest_order_alone = 2048;

// Blocks where one of them has the chain; 0 where that does not pay or the card does not run two.
template <class T>
Offset chained_blocks(const DeviceSession& session, Index order) {
  if (order <= tile_order || order > largest_chained_order<T>) return 0;
  const Offset resident = resident_chained_blocks<T>(session);
  const Offset blocks =
      order <= largest_order_alone ? std::min<Offset>(resident, session.sm_count()) : resident;
  return blocks < 2 ? 0 : blocks;
}

}  // namespace

template <class T>
struct DenseFront<T>::Plan {
  Plan(DeviceSession& session, const TaskGraph& graph, bool chained)
      : shape(graph.shape.front()),
        tickets(graph.factorization.tickets()),
        records(upload_copy(session, MemoryRole::scratch,
                            std::span<const TaskRecord>(records_of(graph)), "tasks of tiles")),
        factors(session, MemoryRole::scratch, graph.factor_entries, "factors in tiles"),
        left_for_chain(
            session, MemoryRole::scratch,
            chained ? (shape.tiles - Offset{1}) * chain_tiles * tile_order * tile_order : 0,
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

template <class T>
DenseFront<T>::DenseFront(DeviceSession& session, Index order, int threads)
    : session_(session),
      order_(order),
      blocks_(chained_blocks<T>(session, order)),
      has_chain_(blocks_ > 0),
      plan_(std::make_unique<Plan>(session, dense_front_graph(order, threads), has_chain_)) {
  const Offset others = resident_front_blocks<T>(session);
  blocks_ = std::min<Offset>(has_chain_ ? blocks_ : others, plan_->tickets);
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
               ChainedTiles<T>{{a, ld}, has_chain_ ? plan_->left_for_chain.data() : nullptr});
}

template <class T>
Offset DenseFront<T>::tiles_without_inverses() const {
  const std::vector<unsigned> words = plan_->words.download();
  return std::count(words.begin() + 1, words.end(), stored_factors);
}

template class DenseFront<float>;
template class DenseFront<double>;

}  // namespace lufact::gpu::blocked
