// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/panels/panel_symbolic.hpp"

#include <stdexcept>

#include "gpu/stage_infos.hpp"
#include "gpu/symbolic/panels/panel_passes.hpp"

namespace lufact::gpu {
namespace {

class PanelSymbolic final : public SymbolicStage {
 public:
  const StageInfo& info() const noexcept override { return panel_symbolic_info(); }

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
  return std::make_unique<PanelSymbolic>();
}

}  // namespace lufact::gpu
