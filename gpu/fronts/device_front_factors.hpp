// SPDX-License-Identifier: BSD-3-Clause
// The factors of the front family on the device.
#pragma once
#include "gpu/fronts/front_solve.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/numeric/factor_views.cuh"

namespace lufact::gpu {

// T is float or double.
template <class T>
class DeviceFrontFactors final : public FrontFactors {
 public:
  // Allocates; `compute` must follow. Keeps the two products. Throws Error{oom_device,
  // "device_budget"} naming the need before it allocates anything.
  DeviceFrontFactors(ProductPtr tree, ProductPtr graph, Offset nnz, StageContext& context);

  Side side() const noexcept override { return Side::device; }

  // Sub-phases `place` (scaling) and `tiles`; one control read. Warns `unusable_pivots` for pivots
  // that are not finite or zero.
  void compute(const DevicePermutedMatrix& matrix, StageContext& context);

  // `method` is "task-graph".
  void solve(VectorBlock& x, std::string_view method) const override;
  void refactor(const ProductPtr& matrix, StageContext& context) override;
  FactorFigures figures() const override { return figures_; }
  std::vector<double> stored_values() const override;
  std::vector<FrontShape> shapes() const override { return graph_.host_shape; }

 private:
  void report(const NumericCounters& counters, StageContext& context);

  DeviceSession& session_;
  ProductPtr tree_product_, graph_product_;
  const DeviceFrontTree& tree_;
  const DeviceTaskGraph& graph_;
  Buffer<T> scaled_, factors_, contributions_;
  Buffer<unsigned> words_;  // the next ticket, a flag for each tile, a counter for each front
  Buffer<NumericCounters> counters_;
  mutable FrontSolveSpace<T> solve_space_;
  FactorFigures figures_;
};

extern template class DeviceFrontFactors<float>;
extern template class DeviceFrontFactors<double>;

}  // namespace lufact::gpu
