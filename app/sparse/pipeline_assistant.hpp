// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "app/workload/variant_worker.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact {

// The part that a rank other than the first has in a run of our stages: its share of the symbolic
// step. `request` is as for make_pipeline_worker(). The catalogue must outlive it.
std::unique_ptr<RankAssistant> make_pipeline_assistant(const Catalogue& catalogue,
                                                       const OpenRequest& request);

}  // namespace lufact
