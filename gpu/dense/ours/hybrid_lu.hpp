// SPDX-License-Identifier: BSD-3-Clause
// `hybrid-tuned`: right-looking LU by blocks of columns, which are eliminated by panels that one
// kernel holds in registers over all their rows; then the rest gets its exchanges, its rows of U
// and the product. With pivoting each panel takes from the one before what it needs, and others
// follow behind; without, or with narrow panels, a block is a recursion (Toledo, SIAM J. Matrix
// Anal. Appl. 18, 1997). Without pivoting the last of a large square matrix is one front of tiles,
// as in `task-graph`, which is the quicker of the two at that order.
#pragma once
#include <algorithm>
#include <optional>

#include "core/array/array_problem.hpp"
#include "core/array/dense_settings.hpp"
#include "gpu/dense/ours/block_rows.hpp"
#include "gpu/dense/ours/cublas_product.hpp"
#include "gpu/dense/ours/dense_front.hpp"
#include "gpu/dense/ours/ours_sizes.hpp"
#include "gpu/dense/ours/panel_kernels.hpp"
#include "gpu/dense/ours/product.hpp"
#include "gpu/dense/ours/streams.hpp"
#include "gpu/dense/ours/triangular_solves.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact {
class PhaseRecorder;
}

namespace lufact::gpu::blocked {

// Columns of a block, unless the user says others: short chains for small matrices, deep products
// for large ones.
int own_block(const ArrayProblem& problem) noexcept;

struct HybridSettings {
  int block = 128;  // a multiple of 32, at most deepest_block
  DenseProduct product = DenseProduct::own;
  // From this order on columns of L get the exchanges of later blocks at the end, all at once.
  Index late_order = least_late_order;
  // What is left as one front, in matrices of larger order.
  Index front_order = largest_graph_order;
  int threads = 1;  // of the host, which plan the front
};

template <class T>
class HybridLu {
 public:
  // Of matrices as the problem has them; of float ones, products in lower numbers where it says
  // so. Throws Error{unsupported, "too_tall"} for more rows than panels may have, with pivoting
  // alone; with cuBLAS's product, Error{unsupported, "no_cublas"} where there is none.
  HybridLu(DeviceSession& session, const ArrayProblem& problem, const HybridSettings& settings);

  // PA = LU in place, with pivots where the problem has them, and info; for a solve also
  // b := A^-1 b, all NaN where a pivot is zero. On the session's stream, asynchronous; the bits of
  // the result depend on the input alone.
  void run(const ArrayOperands& operands);
  // The same on one stream, with sub-phases of `phases`.
  void profile(const ArrayOperands& operands, PhaseRecorder& phases);

  // Of the last run, whose operands hold them.
  FactoredSystem<T> factors();
  // Kernels of one run, once there was one.
  Offset launches() const noexcept {
    return work_.kernels() + solution_.kernels() + (front_ ? kernels_of_front : 0);
  }
  // Rows and columns that are left to one front of tiles; 0 without.
  Index front_order() const noexcept { return problem_.order() - behind_blocks_; }
  int panel_width() const noexcept { return width_; }
  int rows_per_thread() const noexcept { return shape_.rows_per_thread; }

 private:
  bool pivots() const noexcept { return problem_.pivoting == ArrayPivoting::partial; }
  T* entry(Index i, Index j) const { return a_ + Offset{j} * problem_.ld + i; }
  // Panels of a few columns, of very tall matrices, would make many shallow products.
  bool panels_follow() const { return pivots() && width_ >= least_block; }
  // What is exchanged with a block that begins at `first`, but for late exchanges.
  ColumnRange left_of(Index first) const { return {0, late_blocks_ > 0 ? 0 : first}; }
  // Single panels update their block, and the next one too unless blocks are so wide that shallow
  // products would be much of the work: then its first panel waits for the whole block before it.
  bool near_has_next_block() const { return block_ < wide_block; }
  // Of the columns that a block that begins at `first` updates by single panels.
  Index end_of_near(Index first) const {
    const Offset columns = Offset{near_has_next_block() ? 2 : 1} * block_;
    return static_cast<Index>(std::min<Offset>(problem_.columns, first + columns));
  }

  // Where blocks end and one front takes the rest; cuBLAS's product is for the whole.
  Index end_of_blocks(const HybridSettings& settings) const;

  void take(const ArrayOperands& operands, PhaseRecorder* phases);
  struct Streams {
    cudaStream_t rest;    // the session's
    cudaStream_t urgent;  // what the next panel waits for
    cudaStream_t near;    // with pivoting: what panels after the next one wait for
  };
  void factor(const Streams& streams);
  void factor_front();
  void solve();
  void eliminate_blocks(const Streams& streams);
  void eliminate_block(const Streams& streams, ColumnRange block);
  void eliminate_by_recursion(const Streams& streams);
  void eliminate(cudaStream_t stream, Index first, Index end);
  void eliminate_panel(cudaStream_t stream, Index first, Index end, bool follows);
  void exchange_late(cudaStream_t stream);
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
  const Index behind_blocks_;                 // the first column that no block has
  static constexpr int kernels_of_front = 3;  // with that which looks for a zero pivot
  Buffer<Index> origin_, destination_;
  const Index late_blocks_;  // columns of these get exchanges at the end
  Buffer<Index> late_source_;
  Buffer<T> late_column_;
  Buffer<PanelMessage> messages_;
  Buffer<unsigned> loaded_, chain_;
  std::optional<DenseFront<T>> front_;
  UrgentStream urgent_, near_{1};
  std::optional<CublasProduct> cublas_rest_, cublas_beside_;         // in place of our product
  Milestone panel_done_, rest_done_, near_done_[2], ahead_done_[2];  // two: by turns
  T* a_ = nullptr;
  ArrayOperands operands_{};
  PhaseRecorder* phases_ = nullptr;  // of a profile
  RecordedWork work_, solution_;
  ArrayOperands recorded_{};  // what it works with
};

extern template class HybridLu<float>;
extern template class HybridLu<double>;

}  // namespace lufact::gpu::blocked
