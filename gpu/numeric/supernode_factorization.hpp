// SPDX-License-Identifier: BSD-3-Clause
// The left-looking factorization by panels in one launch.
#pragma once
#include "gpu/numeric/supernode_plan.hpp"

namespace lufact::gpu {

// T is float or double.
template <class T>
class PanelFactorization {
 public:
  // Plans and allocates persistent_engine_bytes; `columns` as for make_panel_plan.
  PanelFactorization(DeviceSession& session, const FactorPattern& pattern, Offset nnz_lu,
                     const Index* columns);

  // L and U in place of the values. Pivots smaller than `smallest_pivot` are replaced. The bits of
  // the result depend on the input alone. Asynchronous.
  void run(const FactorsRef<T>& factors, T smallest_pivot, NumericCounters* counters);

  const PanelPlan& plan() const noexcept { return plan_; }

 private:
  DeviceSession& session_;
  Offset blocks_ = 0;
  PanelSpace space_;
  PanelPlan plan_;
  Buffer<unsigned> words_;       // a state per panel, and two counters
  Buffer<unsigned char> slabs_;  // global work space of the large panels, `slab_count_` pieces
  Offset slab_count_ = 0;
};

extern template class PanelFactorization<float>;
extern template class PanelFactorization<double>;

}  // namespace lufact::gpu
