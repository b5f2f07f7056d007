// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/order/nd/separator.hpp"
#include "gpu/ordering/kway_refinement.hpp"

namespace lufact::gpu {

// A set of vertices without which no edge joins two parts, by the rounds of nd::find_separator():
// same result, same changes of parts. One launch, a control read and the download.
nd::Separator find_separator(DeviceSession& session, const DeviceGraph& graph, Index hub_degree,
                             DevicePartition& partition);

nd::Partition download(DeviceSession& session, const DevicePartition& partition);

}  // namespace lufact::gpu
