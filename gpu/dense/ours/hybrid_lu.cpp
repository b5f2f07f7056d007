// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/ours/hybrid_lu.hpp"

#include <algorithm>

#include "gpu/dense/ours/chain_solve.hpp"
#include "gpu/dense/ours/left_rows.hpp"
#include "gpu/dense/ours/triangular_solves.hpp"
#include "gpu/dense/part.hpp"
#include "gpu/dense/zero_pivot.hpp"

namespace lufact::gpu::blocked {
namespace {

// A block is a whole number of panels.
int width_of_panels(const PanelShape& shape, int block) {
  int width = shape.width;
  while (block % width != 0) width /= 2;
  return width;
}

ProductNumbers numbers_of(const ArrayProblem& problem) {
  switch (problem.arithmetic) {
    case FactorArithmetic::tf32:
      return ProductNumbers::tf32;
    case FactorArithmetic::half:
      return ProductNumbers::half;
    case FactorArithmetic::bfloat:
      return ProductNumbers::bfloat;
    default:
      return ProductNumbers::own;
  }
}

// A front is square, exchanges no rows and has products in the numbers of the matrix.
bool may_leave_front(const ArrayProblem& problem) {
  return problem.pivoting == ArrayPivoting::none && problem.rows == problem.columns &&
         numbers_of(problem) == ProductNumbers::own;
}

}  // namespace

// Measured, up to order 8192 and with pivoting on an H200. The deepest products are the fastest;
// where one front takes the rest, blocks are as wide as that (both on an H100).
int own_block(const ArrayProblem& problem) noexcept {
  const Index order = problem.order();
  if (order <= 2048) return 64;
  if (order <= 8192) return order <= 4096 ? 128 : 256;
  return may_leave_front(problem) ? deepest_block : wide_block;
}

template <class T>
HybridLu<T>::HybridLu(DeviceSession& session, const ArrayProblem& problem,
                      const HybridSettings& settings)
    : session_(session),
      problem_(problem),
      shape_(panel_shape<T>(session, problem.pivoting, problem.rows)),
      block_(settings.block),
      width_(width_of_panels(shape_, settings.block)),
      numbers_(numbers_of(problem)),
      behind_blocks_(end_of_blocks(settings)),
      origin_(session, MemoryRole::scratch, pivots() ? problem.order() : 0, "rows of pivots"),
      destination_(session, MemoryRole::scratch, pivots() ? problem.order() : 0,
                   "rows that pivots displace"),
      late_blocks_(pivots() && problem.order() >= settings.late_order
                       ? (problem.order() - 1) / settings.block
                       : 0),
      late_source_(session, MemoryRole::scratch, Offset{late_blocks_} * problem.rows,
                   "rows of late exchanges"),
      late_column_(session, MemoryRole::scratch,
                   late_blocks_ > 0 ? Offset{session.sm_count()} * 2 * problem.rows : 0,
                   "columns of late exchanges"),
      messages_(session, MemoryRole::scratch, pivots() ? message_turns * most_panel_blocks : 0,
                "messages between blocks"),
      loaded_(session, MemoryRole::scratch, 1, "blocks that have loaded a panel"),
      chain_(session, MemoryRole::scratch, chain_words, "progress of a solution") {
  loaded_.fill_bytes(0);
  if (front_order() > 0) front_.emplace(session, front_order(), settings.threads);
  if (settings.product != DenseProduct::cublas) return;
  cublas_rest_.emplace(session, session.stream());
  cublas_beside_.emplace(session, panels_follow() ? near_.get() : urgent_.get());
}

template <class T>
Index HybridLu<T>::end_of_blocks(const HybridSettings& settings) const {
  const Index order = problem_.order();
  const bool leaves_front = may_leave_front(problem_) && settings.product != DenseProduct::cublas;
  if (!leaves_front || order <= settings.front_order) return order;
  const Offset blocks = (Offset{order} - settings.front_order + block_ - 1) / block_;
  return static_cast<Index>(std::min<Offset>(order, blocks * block_));
}

template <class T>
void HybridLu<T>::run(const ArrayOperands& operands) {
  const bool same = operands.a == recorded_.a && operands.b == recorded_.b &&
                    operands.pivots == recorded_.pivots && operands.info == recorded_.info;
  const cudaStream_t stream = session_.stream();
  if (!work_.is_recorded() || !same) {
    take(operands, nullptr);
    recorded_ = operands;
    work_.record(stream, [&] { factor({stream, urgent_.get(), near_.get()}); });
    if (problem_.operation == ArrayOperation::solve) solution_.record(stream, [&] { solve(); });
  }
  work_.launch(stream);
  factor_front();
  if (solution_.is_recorded()) solution_.launch(stream);
}

template <class T>
void HybridLu<T>::take(const ArrayOperands& operands, PhaseRecorder* phases) {
  operands_ = operands;
  phases_ = phases;
  a_ = static_cast<T*>(operands.a);
}

template <class T>
void HybridLu<T>::profile(const ArrayOperands& operands, PhaseRecorder& phases) {
  const cudaStream_t stream = session_.stream();
  take(operands, &phases);
  factor({stream, stream, stream});
  {
    const Part part(front_ ? &phases : nullptr, "rest");
    factor_front();
  }
  if (problem_.operation != ArrayOperation::solve) return;
  const Part part(&phases, "solution");
  solve();
}

// The kernels of a front are launched one by one: there are three of them.
template <class T>
void HybridLu<T>::factor_front() {
  if (!front_) return;
  front_->factor(entry(behind_blocks_, behind_blocks_), problem_.ld);
  find_zero_pivot(session_, a_, problem_.ld, problem_.order(), operands_.info);
}

template <class T>
void HybridLu<T>::solve() {
  solve_with_factors(session_.stream(), factors(), static_cast<T*>(operands_.b), problem_.rhs);
}

template <class T>
FactoredSystem<T> HybridLu<T>::factors() {
  FactoredSystem<T> system{.lu = a_, .ld = problem_.ld, .n = problem_.rows};
  system.info = operands_.info;
  system.words = chain_.data();
  if (!pivots()) return system;
  system.origin = origin_.data();
  system.destination = destination_.data();
  system.list = width_;
  return system;
}

template <class T>
void HybridLu<T>::factor(const Streams& streams) {
  LUFACT_CUDA(cudaMemsetAsync(operands_.info, 0, sizeof(std::int32_t), streams.rest));
  if (pivots()) {
    LUFACT_CUDA(cudaMemsetAsync(messages_.data(), 0, messages_.bytes(), streams.rest));
  }
  if (panels_follow()) {
    eliminate_blocks(streams);
  } else {
    eliminate_by_recursion(streams);
  }
  exchange_late(streams.rest);
}

// A panel's kernel does what the panel before does to its columns. The near columns behind it are
// updated beside it by one panel at a time, those behind by a whole block, the block that is
// eliminated first among them first.
template <class T>
void HybridLu<T>::eliminate_blocks(const Streams& streams) {
  for (Milestone* const done : {near_done_, near_done_ + 1, ahead_done_, ahead_done_ + 1}) {
    done->reach(streams.rest);
  }
  near_done_[0].wait(streams.urgent);
  near_done_[0].wait(streams.near);
  const Index order = problem_.order(), columns = problem_.columns;
  for (Index first = 0; first < order; first += block_) {
    const ColumnRange block{first, std::min(order, first + block_)};
    const auto last = static_cast<Index>((block.end - 1) / width_);
    Milestone& ahead_done = ahead_done_[first / block_ % 2];  // of the block before the last
    const Milestone& last_done = ahead_done_[(first / block_ + 1) % 2];  // of the last block
    (near_has_next_block() ? ahead_done : last_done).wait(streams.urgent);
    last_done.wait(streams.near);
    eliminate_block(streams, block);
    near_done_[last % 2].wait(streams.rest);
    const Index near_end = end_of_near(first), ahead_end = std::min(columns, near_end + block_);
    update(streams.rest, block, {}, {near_end, ahead_end});
    ahead_done.reach(streams.rest);
    update(streams.rest, block, left_of(first), {ahead_end, columns});
  }
}

template <class T>
void HybridLu<T>::exchange_late(cudaStream_t stream) {
  if (late_blocks_ == 0) return;
  const LeftRows<T> left{.a = a_,
                         .ld = problem_.ld,
                         .rows = problem_.rows,
                         .order = problem_.order(),
                         .blocks = late_blocks_,
                         .block = block_,
                         .origin = origin_.data(),
                         .destination = destination_.data(),
                         .list = width_,
                         .source = late_source_.data(),
                         .column = late_column_.data(),
                         .thread_blocks = 2 * session_.sm_count()};
  const Part part(phases_, "triangular");
  exchange_left_rows(stream, left);
}

template <class T>
void HybridLu<T>::eliminate_block(const Streams& streams, ColumnRange block) {
  for (Index first = block.begin; first < block.end; first += width_) {
    const Index end = std::min(block.end, first + width_);
    Milestone& near_done = near_done_[first / width_ % 2];
    near_done.wait(streams.urgent);  // of the panel before the last one
    const bool follows = near_has_next_block() ? first > 0 : first > block.begin;
    eliminate_panel(streams.urgent, first, end, follows);
    panel_done_.reach(streams.urgent);
    panel_done_.wait(streams.near);
    const Index near_end = end_of_near(block.begin);
    const Index behind_next = std::min({problem_.order(), end + width_, near_end});
    update(streams.near, {first, end}, {block.begin, first}, {behind_next, near_end});
    near_done.reach(streams.near);
  }
}

// While the urgent stream updates and eliminates the next block, the other one updates what is
// behind it.
template <class T>
void HybridLu<T>::eliminate_by_recursion(const Streams& streams) {
  rest_done_.reach(streams.rest);
  const Index order = problem_.order();
  rest_done_.wait(streams.urgent);
  for (Index first = 0; first < behind_blocks_; first += block_) {
    const Index end = std::min(order, first + block_);
    const ColumnRange next{end, std::min(order, end + block_)};
    eliminate(streams.urgent, first, end);
    panel_done_.reach(streams.urgent);
    panel_done_.wait(streams.rest);
    rest_done_.wait(streams.urgent);
    update(streams.urgent, {first, end}, {}, next);
    update(streams.rest, {first, end}, left_of(first), {next.end, problem_.columns});
    rest_done_.reach(streams.rest);
  }
  panel_done_.reach(streams.urgent);
  panel_done_.wait(streams.rest);
}

template <class T>
void HybridLu<T>::eliminate(cudaStream_t stream, Index first, Index end) {
  if (end - first <= width_) return eliminate_panel(stream, first, end, false);
  const Index panels = (end - first + width_ - 1) / width_;
  const Index middle = first + (panels + 1) / 2 * width_;
  eliminate(stream, first, middle);
  update(stream, {first, middle}, {}, {middle, end});
  eliminate(stream, middle, end);
  if (pivots()) update(stream, {middle, end}, {first, middle}, {});
}

template <class T>
void HybridLu<T>::eliminate_panel(cudaStream_t stream, Index first, Index end, bool follows) {
  Panel<T> panel;
  panel.a = entry(first, first);
  panel.ld = problem_.ld;
  panel.rows = problem_.rows - first;
  panel.columns = end - first;
  panel.first = first;
  panel.info = operands_.info;
  if (pivots()) {
    panel.follows = follows;
    panel.pivots = operands_.pivots + first;
    panel.origin = origin_.data() + first;
    panel.destination = destination_.data() + first;
    panel.mailbox = {messages_.data(), static_cast<unsigned>(first) + 1};
  } else {
    panel.loaded = loaded_.data();
  }
  const Part part(phases_, "diagonal");
  factor_panel(stream, problem_.pivoting, shape_, panel);
}

// What the pivots of `range` do to columns beside them.
template <class T>
void HybridLu<T>::update(cudaStream_t stream, ColumnRange range, ColumnRange moved,
                         ColumnRange columns) {
  BlockRows<T> rows;
  rows.ld = rows.ldx = problem_.ld;
  rows.x = a_;
  rows.moved = moved;
  rows.solved = columns;
  if (pivots()) {
    rows.origin = origin_.data();
    rows.destination = destination_.data();
    rows.pivots = range.end - range.begin;
    rows.list = width_;
  }
  for (Index first = range.begin; first < range.end; first += solve_depth) {
    const Index end = std::min(range.end, first + solve_depth);
    rows.triangle = entry(first, first);
    rows.first = first;
    rows.depth = end - first;
    {
      const Part part(phases_, "triangular");
      apply_block(stream, Triangle::unit_lower, rows);
    }
    rows.origin = nullptr;  // the first one exchanges rows for all
    subtract(stream, {first, end}, {end, range.end}, columns);
  }
  subtract(stream, range, {range.end, problem_.rows}, columns);
}

// The product of L in the columns `pivots` with U in these rows, from other rows of `columns`.
template <class T>
void HybridLu<T>::subtract(cudaStream_t stream, ColumnRange pivots, RowRange rows,
                           ColumnRange columns) {
  const Product<T> product{.left = entry(rows.begin, pivots.begin),
                           .ld_left = problem_.ld,
                           .right = entry(pivots.begin, columns.begin),
                           .ld_right = problem_.ld,
                           .target = entry(rows.begin, columns.begin),
                           .ld_target = problem_.ld,
                           .rows = rows.end - rows.begin,
                           .columns = columns.end - columns.begin,
                           .depth = pivots.end - pivots.begin};
  const Part part(phases_, "product");
  const auto& cublas = stream == session_.stream() ? cublas_rest_ : cublas_beside_;
  if (cublas) {
    cublas->subtract(product);
  } else {
    subtract_product(stream, product, numbers_);
  }
}

template class HybridLu<float>;
template class HybridLu<double>;

}  // namespace lufact::gpu::blocked
