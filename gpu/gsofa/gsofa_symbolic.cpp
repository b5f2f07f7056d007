// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_symbolic.hpp"

#include <stdexcept>

#include "gpu/gsofa/distributed_gsofa.hpp"

namespace lufact::gpu {
namespace {

class GsofaSymbolic final : public GpuSymbolic {
 public:
  using GpuSymbolic::GpuSymbolic;

  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error("gpu-gsofa needs a device session");
    const auto& placed = product_cast<DevicePermutedMatrix>(*matrix);
    if (context.options.gsofa.simulated) return search_simulated(placed, {}, context);
    if (context.ranks != nullptr) return search_on_ranks(placed, {}, context);
    if (context.team != nullptr) return search_on_team(placed, *context.team, {}, context);
    return search_on_one_device(placed, {}, context);
  }

  void assist(StageContext& context) const override { assist_search_on_ranks({}, context); }
};

}  // namespace

std::unique_ptr<SymbolicStage> make_gsofa_symbolic() {
  return std::make_unique<GsofaSymbolic>(gsofa_symbolic_facts());
}

}  // namespace lufact::gpu
