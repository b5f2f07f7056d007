// SPDX-License-Identifier: BSD-3-Clause
// The factors of the front family on the host.
#pragma once
#include "core/base/uninitialized_array.hpp"
#include "core/columns/host_vectors.hpp"
#include "core/fronts/numeric/front_elimination.hpp"
#include "core/fronts/numeric/front_sweeps.hpp"
#include "core/pipeline/transposed.hpp"

namespace lufact {

// A multifrontal factorization (Duff and Reid, ACM Trans. Math. Software 9, 1983). T is
// float or double. Pivots come from their own rows, or from any in their block (LAPACK's getrf,
// with interchanges inside the blocks alone); tiny ones are replaced. The bits depend on the input
// and on the instruction set, not on the number of threads: a front is eliminated by one thread or
// by all with the same operations.
//
// Threads and memory: a subtree has values, positions and an arena of its own, and writes the
// blocks of its root to the shared arena. The fronts above the subtrees come after a barrier, one
// after the other, and may use all of this memory; barriers stand between writers and readers of a
// front. An OpenMP barrier and the end of a parallel region make all writes visible.
template <class T>
class HostFrontFactors final : public FrontFactors, public TransposedFactors {
 public:
  // Allocates; refactor() must follow. Keeps the two products. Throws std::bad_alloc or
  // Error{oom_host, "size_overflow"}.
  HostFrontFactors(ProductPtr tree, ProductPtr schedule, Pivoting pivoting, int threads);

  Side side() const noexcept override { return Side::host; }

  // Called by every refactor() from now on.
  void observe_pivot_blocks(PivotBlockObserver<T> observer) { observer_ = std::move(observer); }

  // Sub-phase `fronts`. Warns `unusable_pivots` for pivots that are not finite or zero.
  void refactor(const ProductPtr& matrix, StageContext& context) override;
  // `method` is "subtrees". One solve at a time. Up to most_sides vectors go through the fronts
  // together; each has the bits that it has alone. Scales each by a power of two to a largest
  // magnitude near 1, so that float neither loses small residuals nor rounds because of the
  // scaling.
  void solve(VectorBlock& x, std::string_view method) const override;
  void solve_transposed(VectorBlock& x, std::string_view method) const override;
  FactorFigures figures() const override { return figures_; }
  std::vector<double> stored_values() const override;
  std::vector<FrontShape> shapes() const override;
  std::vector<std::uint8_t> row_sources() const override;
  std::vector<double> pivot_sizes() const override;

 private:
  void solve(VectorBlock& x, std::string_view method, bool transposed) const;
  void solve_columns(HostVectorBlock& block, Index first, Index count, bool transposed) const;
  void prepare_scaling(const PermutedMatrix& matrix);
  void eliminate(const FrontWork<T>& work);
  void eliminate_with_all(const FrontWork<T>& work);
  void report(StageContext& context);

  ProductPtr tree_product_, schedule_product_;
  const FrontTree& tree_;
  const FrontSchedule& schedule_;
  int threads_, solve_threads_;
  UninitializedArray<std::uint8_t> row_source_;  // by position; empty where rows are fixed
  UninitializedArray<T> values_, inverse_pivot_, shared_arena_, thread_arenas_, right_;
  std::vector<FrontScratch<T>> scratch_;          // by thread
  std::vector<double> entry_scale_;               // by the tree's entries
  std::vector<double> row_scale_, column_scale_;  // which entry_scale_ is made of
  PivotBlockObserver<T> observer_;
  FactorFigures figures_;
  mutable FrontSweeps<T> sweeps_;
  mutable UninitializedArray<T> y_;  // by position, a position's entries side by side
};

extern template class HostFrontFactors<float>;
extern template class HostFrontFactors<double>;

}  // namespace lufact
