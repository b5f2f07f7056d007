// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_symbolic.hpp"

#include <stdexcept>

#include "gpu/gsofa/gsofa_passes.hpp"

namespace lufact::gpu {
namespace {

class GsofaSymbolic final : public GpuSymbolic {
 public:
  using GpuSymbolic::GpuSymbolic;

  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error("gpu-gsofa needs a device session");
    GsofaPasses passes(product_cast<DevicePermutedMatrix>(*matrix), {}, context);
    passes.search();
    passes.find_supernodes();
    return passes.finish();
  }
};

}  // namespace

std::unique_ptr<SymbolicStage> make_gsofa_symbolic() {
  return std::make_unique<GsofaSymbolic>(gsofa_symbolic_facts());
}

}  // namespace lufact::gpu
