// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/supernode_finder.hpp"

namespace lufact::gpu {

// T3 supernodes behind any symbolic stage of the device: gpu/gsofa/supernodes.hpp over its pattern.
std::unique_ptr<SupernodeFinder> make_supernode_finder();

}  // namespace lufact::gpu
