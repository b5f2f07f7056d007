// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/ours/hybrid_lu.hpp"

#include <algorithm>

#include "gpu/dense/ours/triangular_solves.hpp"

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

}  // namespace

// Measured on an H200.
int own_block(const ArrayProblem& problem) noexcept {
  const Index order = problem.order();
  if (order <= 2048) return problem.pivoting == ArrayPivoting::partial ? 32 : 64;
  return order <= 4096 ? 128 : order <= 8192 ? 256 : deepest_block;
}

template <class T>
HybridLu<T>::HybridLu(DeviceSession& session, const ArrayProblem& problem, int block)
    : session_(session),
      problem_(problem),
      shape_(panel_shape<T>(session, problem.pivoting, problem.rows)),
      block_(block),
      width_(width_of_panels(shape_, block)),
      numbers_(numbers_of(problem)),
      origin_(session, MemoryRole::scratch, pivots() ? problem.order() : 0, "rows of pivots"),
      destination_(session, MemoryRole::scratch, pivots() ? problem.order() : 0,
                   "rows that pivots displace"),
      messages_(session, MemoryRole::scratch, pivots() ? message_turns * most_panel_blocks : 0,
                "messages between blocks"),
      loaded_(session, MemoryRole::scratch, 1, "blocks that have loaded a panel") {
  loaded_.fill_bytes(0);
}

template <class T>
void HybridLu<T>::run(const ArrayOperands& operands) {
  const bool same = operands.a == operands_.a && operands.b == operands_.b &&
                    operands.pivots == operands_.pivots && operands.info == operands_.info;
  const cudaStream_t stream = session_.stream();
  if (!work_.is_recorded() || !same) {
    operands_ = operands;
    a_ = static_cast<T*>(operands.a);
    work_.record(stream, [&] {
      factor(stream);
      if (problem_.operation == ArrayOperation::solve) {
        solve_with_factors(stream, factors(), static_cast<T*>(operands_.b), problem_.rhs);
      }
    });
  }
  work_.launch(stream);
}

template <class T>
FactoredSystem<T> HybridLu<T>::factors() const {
  FactoredSystem<T> system{.lu = a_, .ld = problem_.ld, .n = problem_.rows};
  system.info = operands_.info;
  if (!pivots()) return system;
  system.origin = origin_.data();
  system.destination = destination_.data();
  system.list = width_;
  return system;
}

// While the urgent stream updates and eliminates the next block, the other one updates what is
// behind it, and exchanges the rows of all blocks before.
template <class T>
void HybridLu<T>::factor(cudaStream_t rest) {
  LUFACT_CUDA(cudaMemsetAsync(operands_.info, 0, sizeof(std::int32_t), rest));
  if (pivots()) LUFACT_CUDA(cudaMemsetAsync(messages_.data(), 0, messages_.bytes(), rest));
  rest_done_.reach(rest);
  const cudaStream_t urgent = urgent_.get();
  const Index order = problem_.order();
  rest_done_.wait(urgent);
  for (Index first = 0; first < order; first += block_) {
    const Index end = std::min(order, first + block_);
    const ColumnRange next{end, std::min(order, end + block_)};
    eliminate(first, end, first);
    block_done_.reach(urgent);
    block_done_.wait(rest);
    rest_done_.wait(urgent);
    update(urgent, {first, end}, {}, next);
    update(rest, {first, end}, {0, first}, {next.end, problem_.columns});
    rest_done_.reach(rest);
  }
  block_done_.reach(urgent);
  block_done_.wait(rest);
}

// Columns [first, end) of the block that begins at `block_begin`.
template <class T>
void HybridLu<T>::eliminate(Index first, Index end, Index block_begin) {
  if (end - first <= width_) return eliminate_panel(first, end, block_begin);
  const Index panels = (end - first + width_ - 1) / width_;
  const Index middle = first + (panels + 1) / 2 * width_;
  eliminate(first, middle, block_begin);
  update(urgent_.get(), {first, middle}, {}, {middle, end});
  eliminate(middle, end, block_begin);
}

template <class T>
void HybridLu<T>::eliminate_panel(Index first, Index end, Index block_begin) {
  Panel<T> panel;
  panel.a = entry(first, first);
  panel.ld = problem_.ld;
  panel.rows = problem_.rows - first;
  panel.columns = end - first;
  panel.first = first;
  panel.info = operands_.info;
  if (pivots()) {
    panel.left = first - block_begin;
    panel.pivots = operands_.pivots + first;
    panel.origin = origin_.data() + first;
    panel.destination = destination_.data() + first;
    panel.mailbox = {messages_.data(), static_cast<unsigned>(first) + 1};
  } else {
    panel.loaded = loaded_.data();
  }
  factor_panel(urgent_.get(), problem_.pivoting, shape_, panel);
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
    apply_block(stream, Triangle::unit_lower, rows);
    rows.origin = nullptr;  // the first one exchanges rows for all
    subtract(stream, {first, end}, {end, range.end}, columns);
  }
  subtract(stream, range, {range.end, problem_.rows}, columns);
}

// The product of L in the columns `pivots` with U in these rows, from other rows of `columns`.
template <class T>
void HybridLu<T>::subtract(cudaStream_t stream, ColumnRange pivots, RowRange rows,
                           ColumnRange columns) {
  subtract_product(stream,
                   Product<T>{.left = entry(rows.begin, pivots.begin),
                              .ld_left = problem_.ld,
                              .right = entry(pivots.begin, columns.begin),
                              .ld_right = problem_.ld,
                              .target = entry(rows.begin, columns.begin),
                              .ld_target = problem_.ld,
                              .rows = rows.end - rows.begin,
                              .columns = columns.end - columns.begin,
                              .depth = pivots.end - pivots.begin},
                   numbers_);
}

template class HybridLu<float>;
template class HybridLu<double>;

}  // namespace lufact::gpu::blocked
