// SPDX-License-Identifier: BSD-3-Clause
// The left-looking factorization by supernodes in one launch.
#pragma once
#include "gpu/numeric/supernode_plan.hpp"

namespace lufact::gpu {

// T is float or double.
template <class T>
class SupernodeFactorization {
 public:
  // Plans and allocates persistent_engine_bytes; `columns` as for make_supernode_plan.
  SupernodeFactorization(DeviceSession& session, const FactorPattern& pattern, Offset nnz_lu,
                         const Index* columns);

  // Replaces the values by L and U. Pivots smaller than `smallest_pivot` are replaced. The bits of
  // the result depend on the input alone. Asynchronous.
  void run(const FactorsRef<T>& factors, T smallest_pivot, NumericCounters* counters);

  const SupernodePlan& plan() const noexcept { return plan_; }

 private:
  DeviceSession& session_;
  Offset blocks_ = 0;
  SupernodeSpace space_;
  SupernodePlan plan_;
  Buffer<unsigned> words_;       // a state per supernode, and two counters
  Buffer<unsigned char> slabs_;  // global work space of the large supernodes, `slab_count_` pieces
  Offset slab_count_ = 0;
};

extern template class SupernodeFactorization<float>;
extern template class SupernodeFactorization<double>;

}  // namespace lufact::gpu
