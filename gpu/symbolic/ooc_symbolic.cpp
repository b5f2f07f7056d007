// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/ooc_symbolic.hpp"

#include <stdexcept>

#include "gpu/stage_infos.hpp"
#include "gpu/symbolic/ooc_passes.hpp"

namespace lufact::gpu {
namespace {

class OocSymbolic final : public SymbolicStage {
 public:
  const StageInfo& info() const noexcept override { return ooc_symbolic_info(); }

  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error("gpu-ooc needs a device session");
    OocPasses passes(product_cast<DevicePermutedMatrix>(*matrix), context);
    passes.probe();
    passes.count();
    passes.scan();
    passes.positions();
    return passes.finish();
  }
};

}  // namespace

std::unique_ptr<SymbolicStage> make_ooc_symbolic() {
  return std::make_unique<OocSymbolic>();
}

}  // namespace lufact::gpu
