// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/fronts/symbolic/tree_symbolic.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "core/base/error.hpp"
#include "gpu/fronts/symbolic/tree_passes.hpp"

namespace lufact::gpu {
namespace {

// n itself stands for "no vertex", and loops run up to a warp past it.
constexpr Index most_rows = std::numeric_limits<Index>::max() - 64;

std::shared_ptr<DeviceFrontTree> empty_tree(DeviceSession& session) {
  auto tree = std::make_shared<DeviceFrontTree>();
  tree->host.exact = true;
  tree->entry_ptr = Buffer<Offset>(session, MemoryRole::resident, 1, "where entries begin");
  tree->entry_ptr.fill_bytes(0);
  tree->entries.emplace();
  return tree;
}

class TreeSymbolic final : public GpuSymbolic {
 public:
  using GpuSymbolic::GpuSymbolic;

  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error("gpu-fronts needs a device session");
    const auto& b = product_cast<DevicePermutedMatrix>(*matrix);
    if (b.n > most_rows) {
      throw Error(
          Outcome::unsupported, "matrix_too_large",
          fmt::format("gpu-fronts takes matrices of at most {} rows, not {}; use cpu-fronts",
                      most_rows, b.n));
    }
    if (b.n == 0) return empty_tree(*context.device);
    TreePasses passes(b, context);
    passes.find_forest();
    passes.count_columns();
    passes.merge();
    passes.find_rows();
    passes.place();
    return passes.finish();
  }
};

}  // namespace

std::unique_ptr<SymbolicStage> make_tree_symbolic() {
  return std::make_unique<TreeSymbolic>(tree_symbolic_facts());
}

}  // namespace lufact::gpu
