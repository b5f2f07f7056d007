// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/search/ooc_symbolic.hpp"

#include <stdexcept>

#include "gpu/stage_infos.hpp"
#include "gpu/symbolic/search/ooc_passes.hpp"
#include "gpu/symbolic/search/ooc_variant.hpp"

namespace lufact::gpu {
namespace {

class OocSymbolic final : public SymbolicStage {
 public:
  OocSymbolic(const StageInfo& info, const OocVariant& variant) : info_(info), variant_(variant) {}

  const StageInfo& info() const noexcept override { return info_; }

  std::optional<WorkBytes> work_bytes(Index n) const override {
    return gpu::work_bytes(variant_, n);
  }

  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error(info_.name + " needs a device session");
    OocPasses passes(product_cast<DevicePermutedMatrix>(*matrix), variant_, info_.name, context);
    passes.divide();
    passes.allocate();
    passes.count();
    passes.scan();
    passes.positions();
    return passes.finish();
  }

 private:
  const StageInfo& info_;
  OocVariant variant_;
};

}  // namespace

std::unique_ptr<SymbolicStage> make_ooc_naive_symbolic() {
  return std::make_unique<OocSymbolic>(ooc_naive_symbolic_info(), ooc_naive_variant);
}
std::unique_ptr<SymbolicStage> make_ooc_symbolic() {
  return std::make_unique<OocSymbolic>(ooc_symbolic_info(), ooc_variant);
}
std::unique_ptr<SymbolicStage> make_um_symbolic() {
  return std::make_unique<OocSymbolic>(um_symbolic_info(), um_variant);
}
std::unique_ptr<SymbolicStage> make_um_prefetch_symbolic() {
  return std::make_unique<OocSymbolic>(um_prefetch_symbolic_info(), um_prefetch_variant);
}
std::unique_ptr<SymbolicStage> make_in_core_symbolic() {
  return std::make_unique<OocSymbolic>(in_core_symbolic_info(), in_core_variant);
}

}  // namespace lufact::gpu
