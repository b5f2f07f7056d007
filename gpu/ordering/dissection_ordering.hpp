// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

// `nd-gpu`: the order of nd-parallel, its partition and separator found on the device, but for
// small graphs. A choice records which graphs went where.
std::unique_ptr<OrderingStage> make_dissection_ordering();

}  // namespace lufact::gpu
