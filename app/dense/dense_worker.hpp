// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "app/array/array_stages.hpp"
#include "app/workload/variant_worker.hpp"

namespace lufact {

// Runs kernels of ours or a foreign library. `request.variant` holds "config", and "variant" or
// "peer". The stages must outlive it.
std::unique_ptr<VariantWorker> make_dense_worker(const ArrayStages& stages,
                                                 const OpenRequest& request);

}  // namespace lufact
