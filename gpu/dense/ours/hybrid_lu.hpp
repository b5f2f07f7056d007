// SPDX-License-Identifier: BSD-3-Clause
// `hybrid-tuned`: right-looking LU by blocks of columns. A block is eliminated by recursion
// (Toledo, SIAM J. Matrix Anal. Appl. 18, 1997) down to panels that one kernel holds in registers
// over all their rows; then the rest gets its exchanges, its rows of U and the product.
#pragma once
#include "core/array/array_problem.hpp"
#include "gpu/dense/ours/block_rows.hpp"
#include "gpu/dense/ours/panel_kernels.hpp"
#include "gpu/dense/ours/product.hpp"
#include "gpu/dense/ours/streams.hpp"
#include "gpu/dense/ours/triangular_solves.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu::blocked {

// Columns of a block, unless the user says others: short chains for small matrices, deep products
// for large ones.
int own_block(const ArrayProblem& problem) noexcept;

template <class T>
class HybridLu {
 public:
  // Of matrices as the problem has them; of float ones, products in lower numbers where it says
  // so. `block`: a multiple of 32, at most deepest_block. Throws Error{unsupported, "too_tall"} for
  // more rows than panels may have, with pivoting alone.
  HybridLu(DeviceSession& session, const ArrayProblem& problem, int block);

  // PA = LU in place, with pivots where the problem has them, and info; for a solve also
  // b := A^-1 b, all NaN where a pivot is zero. On the session's stream, asynchronous; the bits of
  // the result depend on the input alone.
  void run(const ArrayOperands& operands);

  // Of the last run, whose operands hold them.
  FactoredSystem<T> factors() const;
  // Kernels of one run, once there was one.
  Offset launches() const noexcept { return work_.kernels(); }
  int panel_width() const noexcept { return width_; }
  int rows_per_thread() const noexcept { return shape_.rows_per_thread; }

 private:
  bool pivots() const noexcept { return problem_.pivoting == ArrayPivoting::partial; }
  T* entry(Index i, Index j) const { return a_ + Offset{j} * problem_.ld + i; }

  // `rest` is the session's stream, urgent_ has what the next block waits for.
  void factor(cudaStream_t rest);
  void eliminate(Index first, Index end, Index block_begin);
  void eliminate_panel(Index first, Index end, Index block_begin);
  void update(cudaStream_t stream, ColumnRange pivots, ColumnRange moved, ColumnRange columns);
  struct RowRange {
    Index begin, end;
  };
  void subtract(cudaStream_t stream, ColumnRange pivots, RowRange rows, ColumnRange columns);

  DeviceSession& session_;
  const ArrayProblem problem_;
  const PanelShape shape_;
  const int block_, width_;  // columns of a block, and of a panel
  const ProductNumbers numbers_;
  Buffer<Index> origin_, destination_;
  Buffer<PanelMessage> messages_;
  Buffer<unsigned> loaded_;
  UrgentStream urgent_;
  Milestone block_done_, rest_done_;
  T* a_ = nullptr;
  ArrayOperands operands_{};
  RecordedWork work_;  // with operands_
};

extern template class HybridLu<float>;
extern template class HybridLu<double>;

}  // namespace lufact::gpu::blocked
