// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/panels/panel_symbolic.hpp"

#include <stdexcept>

#include "gpu/symbolic/panels/panel_passes.hpp"

namespace lufact::gpu {
namespace {

class PanelSymbolic final : public GpuSymbolic {
 public:
  using GpuSymbolic::GpuSymbolic;

  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error("gpu-panels needs a device session");
    PanelPasses passes(product_cast<DevicePermutedMatrix>(*matrix), context);
    passes.find_structure();
    passes.find_bound();
    passes.eliminate();
    passes.write();
    return passes.finish();
  }
};

}  // namespace

std::unique_ptr<SymbolicStage> make_panel_symbolic() {
  return std::make_unique<PanelSymbolic>(panel_symbolic_facts());
}

}  // namespace lufact::gpu
