// SPDX-License-Identifier: BSD-3-Clause
// The copies of the column family's products between host and device.
#pragma once
#include <memory>
#include <vector>

#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

// The permuted matrix to the device only (the host form has fields that the device does not need),
// pattern and schedule both ways. Each needs context.device; arrays on the device are resident.
std::vector<std::unique_ptr<Transfer>> make_transfers();

}  // namespace lufact::gpu
