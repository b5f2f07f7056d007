// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "app/workload/variant_worker.hpp"

namespace lufact {

// Runs a plug-in or an external program. `request.variant` holds "config" and "peer".
std::unique_ptr<VariantWorker> make_peer_worker(const OpenRequest& request);

}  // namespace lufact
