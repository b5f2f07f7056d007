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

}  // namespace

template <class T>
struct DenseFront<T>::Plan {
  Plan(DeviceSession& session, const TaskGraph& graph)
      : shape(graph.shape.front()),
        tickets(graph.factorization.tickets()),
        records(upload_copy(session, MemoryRole::scratch,
                            std::span<const TaskRecord>(records_of(graph)), "tasks of tiles")),
        factors(session, MemoryRole::scratch, graph.factor_entries, "factors in tiles"),
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
  Buffer<unsigned> words;  // the next ticket, flags of tiles
  Buffer<NumericCounters> counters;
};

template <class T>
DenseFront<T>::DenseFront(DeviceSession& session, Index order, int threads)
    : session_(session),
      order_(order),
      plan_(std::make_unique<Plan>(session, dense_front_graph(order, threads))),
      blocks_(std::min<Offset>(resident_front_blocks<T>(session), plan_->tickets)) {}

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
  factor_front(session_, blocks_, problem, plan_->shape, DenseTiles<T>{a, ld});
}

template <class T>
Offset DenseFront<T>::tiles_without_inverses() const {
  const std::vector<unsigned> words = plan_->words.download();
  return std::count(words.begin() + 1, words.end(), stored_factors);
}

template class DenseFront<float>;
template class DenseFront<double>;

}  // namespace lufact::gpu::blocked
