// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/order/dissection_ordering.hpp"
#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

// `nd-gpu`: the order of nd-parallel, with partition and separator found on the device except for
// small graphs. A choice records which graphs went where.
std::unique_ptr<OrderingStage> make_dissection_ordering();
const OrderingFacts& dissection_ordering_facts();

// The steps of `nd-gpu`, where they are quicker for `pa` than the host's and their memory fits;
// else nullptr. `context` must outlive them.
std::unique_ptr<PlacedSteps> make_quicker_steps(const CsrPattern& pa, StageContext& context);

}  // namespace lufact::gpu
