// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/supernode_finder.hpp"

#include <stdexcept>

#include "gpu/gsofa/supernodes.hpp"

namespace lufact::gpu {
namespace {

class DeviceSupernodeFinder final : public SupernodeFinder {
 public:
  Side side() const noexcept override { return Side::device; }

  ProductPtr run(ProductPtr product, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error("supernodes need a device session");
    const auto& pattern = product_cast<DeviceColumnPattern>(*product);
    // Stages make their products as objects that are not const; a copy would need the memory twice.
    const_cast<DeviceColumnPattern&>(pattern).supernodes =
        find_t3_supernodes(*context.device, pattern, context.options.supernode_size);
    return product;
  }
};

}  // namespace

std::unique_ptr<SupernodeFinder> make_supernode_finder() {
  return std::make_unique<DeviceSupernodeFinder>();
}

}  // namespace lufact::gpu
