// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "app/workload/variant_worker.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact {

// Runs our stages. `request.variant` holds "config" and "mode". The catalogue must outlive it.
std::unique_ptr<VariantWorker> make_pipeline_worker(const Catalogue& catalogue,
                                                    const OpenRequest& request);

}  // namespace lufact
