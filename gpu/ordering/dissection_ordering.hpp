// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/order/dissection_ordering.hpp"
#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

// `nd-gpu`: the order of nd-parallel, its partition and separator found on the device, but for
// small graphs. A choice records which graphs went where.
std::unique_ptr<OrderingStage> make_dissection_ordering();
const OrderingFacts& dissection_ordering_facts();

// Its steps, where they are quicker with this pattern than the host's and their memory is there;
// else nullptr. The context outlives them.
std::unique_ptr<PlacedSteps> make_quicker_steps(const CsrPattern& pa, StageContext& context);

}  // namespace lufact::gpu
