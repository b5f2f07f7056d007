// SPDX-License-Identifier: BSD-3-Clause
// The factors of the front family on the device.
#pragma once
#include "core/pipeline/queued_work.hpp"
#include "core/pipeline/transposed.hpp"
#include "gpu/fronts/factors/factor_store.hpp"
#include "gpu/fronts/numeric/multifrontal_kernel.hpp"
#include "gpu/fronts/numeric/product_way.hpp"
#include "gpu/fronts/numeric/task_records.hpp"
#include "gpu/fronts/solve/front_solve.hpp"

namespace lufact::gpu {

// T is float or double. Where the graph says so, the factors are kept on the host: every part of
// them leaves the device while the next one is made, and comes back for solves.
template <class T>
class DeviceFrontFactors final : public FrontFactors,
                                 public QueuedFactors,
                                 public TransposedFactors {
 public:
  // Allocates, and prepares the plan (sub-phase `plan`); `compute` must follow. Keeps the two
  // products. Throws Error{oom_device, "device_budget"} naming the need before it allocates
  // anything.
  DeviceFrontFactors(ProductPtr tree, ProductPtr graph, StageContext& context);

  Side side() const noexcept override { return Side::device; }

  // One launch for each part of the graph, after one that prepares the scaling where the matrix's
  // scaling is not that of the last call. One control read. Warns `unusable_pivots` for pivots that
  // are not finite or zero.
  void compute(const DevicePermutedMatrix& matrix, StageContext& context);

  // `method` is "task-graph".
  void solve(VectorBlock& x, std::string_view method) const override;
  void apply(const Product& matrix, VectorBackend& vectors, const VectorBlock& b, VectorBlock& x,
             std::string_view method) const override;
  void solve_transposed(VectorBlock& x, std::string_view method) const override;
  void refactor(const ProductPtr& matrix, StageContext& context) override;
  // The threshold of pivots comes from the norm that the matrix's new values left on the device.
  void queue_refactor(const ProductPtr& matrix, StageContext& context) override;
  // Where the graph has one part, on the device, a solve for one right-hand side begins with the
  // first fronts whose factors are stored.
  void queue_refactor_and_apply(const ProductPtr& matrix, VectorBackend& vectors,
                                const VectorBlock& b, VectorBlock& x, std::string_view method,
                                StageContext& context) override;
  void finish_refactor(StageContext& context) override;
  FactorFigures figures() const override { return figures_; }
  std::vector<double> stored_values() const override;
  std::vector<FrontShape> shapes() const override { return graph_.host_shape; }
  std::vector<std::uint8_t> row_sources() const override { return row_source_.download(); }
  // Takes 8 bytes a row and an entry a row of scratch.
  std::vector<double> pivot_sizes() const override;

  // For benchmarks: what launches the kernel from now on, in place of eliminate_fronts().
  void launch_by(FrontLaunch<T> launch) { launch_ = launch; }

 private:
  void prepare_scaling(const DevicePermutedMatrix& matrix);
  void prepare(const DevicePermutedMatrix& matrix);
  // But for the threshold of pivots.
  FrontProblem<T> problem(const DevicePermutedMatrix& matrix, NumericCounters* report_to);
  void eliminate_parts(FrontProblem<T> problem);
  void report(const NumericCounters& counters, StageContext& context);
  // Returns the words of the factorization, where they are asked for.
  RunningFactorization queue(const ProductPtr& matrix, bool beside_solve, StageContext& context);
  void sweep(const FrontVectors& vectors, const VectorBlock& x, std::string_view method,
             bool transposed = false, const RunningFactorization& running = {}) const;
  FrontVectors scaled_vectors(const Product& matrix, const VectorBlock& b, VectorBlock& x) const;

  DeviceSession& session_;
  ProductPtr tree_product_, graph_product_;
  const DeviceFrontTree& tree_;
  const DeviceTaskGraph& graph_;
  Buffer<TaskRecord> records_, solve_records_;  // of the tasks of factorization and solves
  Buffer<double> entry_scale_;
  SharedBuffer<double> row_scale_, col_scale_;  // which entry_scale_ is made of
  mutable FactorStore<T> factors_;              // solves bring parts to the device
  Buffer<unsigned char> row_source_;            // see FrontProblem; empty where rows are fixed
  // NumericCounters, the next ticket of each part, flags of tiles, counters of fronts, words for a
  // solve beside the factorization. Two sets:
  // one for this factorization, one, all zero, for the next.
  Buffer<unsigned> words_;
  int turn_ = 0;                             // which of the two is next
  Buffer<NumericCounters> queued_counters_;  // pinned; made by the first queue_refactor()
  mutable FrontSolveSpace<T> solve_space_;
  Pivoting pivoting_;
  ProductWay way_;
  Offset blocks_ = 0;  // of the factorization's kernel at a time
  FrontLaunch<T> launch_ = eliminate_fronts<T>;
  FactorFigures figures_;
};

extern template class DeviceFrontFactors<float>;
extern template class DeviceFrontFactors<double>;

}  // namespace lufact::gpu
