// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/fill2/fill2_symbolic.hpp"

#include <stdexcept>

#include "gpu/symbolic/fill2/fill2_passes.hpp"

namespace lufact::gpu {
namespace {

class Fill2Symbolic final : public GpuSymbolic {
 public:
  using GpuSymbolic::GpuSymbolic;

  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error("gpu-fill2 needs a device session");
    Fill2Passes passes(product_cast<DevicePermutedMatrix>(*matrix), context);
    passes.build_graph();
    passes.count();
    passes.scan();
    passes.positions();
    return passes.finish();
  }
};

}  // namespace

std::unique_ptr<SymbolicStage> make_fill2_symbolic() {
  return std::make_unique<Fill2Symbolic>(fill2_symbolic_facts());
}

}  // namespace lufact::gpu
