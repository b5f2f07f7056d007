// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/search/ooc_symbolic.hpp"

#include <stdexcept>

#include "gpu/symbolic/search/ooc_passes.hpp"
#include "gpu/symbolic/search/ooc_variant.hpp"

namespace lufact::gpu {
namespace {

class OocSymbolic final : public GpuSymbolic {
 public:
  OocSymbolic(const SymbolicFacts& facts, const OocVariant& variant)
      : GpuSymbolic(facts), variant_(variant) {}

  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error(info().name + " needs a device session");
    OocPasses passes(product_cast<DevicePermutedMatrix>(*matrix), variant_, context);
    passes.allocate();
    passes.count();
    passes.scan();
    passes.positions();
    return passes.finish();
  }

 private:
  OocVariant variant_;
};

}  // namespace

std::unique_ptr<SymbolicStage> make_ooc_naive_symbolic() {
  return std::make_unique<OocSymbolic>(ooc_naive_symbolic_facts(), ooc_naive_variant);
}
std::unique_ptr<SymbolicStage> make_ooc_symbolic() {
  return std::make_unique<OocSymbolic>(ooc_symbolic_facts(), ooc_variant);
}
std::unique_ptr<SymbolicStage> make_um_symbolic() {
  return std::make_unique<OocSymbolic>(um_symbolic_facts(), um_variant);
}
std::unique_ptr<SymbolicStage> make_um_prefetch_symbolic() {
  return std::make_unique<OocSymbolic>(um_prefetch_symbolic_facts(), um_prefetch_variant);
}
std::unique_ptr<SymbolicStage> make_fill2_plain_symbolic() {
  return std::make_unique<OocSymbolic>(fill2_plain_symbolic_facts(), fill2_plain_variant);
}
std::unique_ptr<SymbolicStage> make_in_core_symbolic() {
  return std::make_unique<OocSymbolic>(in_core_symbolic_facts(), in_core_variant);
}

}  // namespace lufact::gpu
