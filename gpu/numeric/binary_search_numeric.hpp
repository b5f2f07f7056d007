// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

// `gpu-binary-search`: E2E Algorithms 2 and 6, right-looking over the levels of a schedule of the
// rule `exact` or `relaxed`, columns sorted, updates by atomics (not deterministic). Refuses `glu1`
// with Error{error, "unsafe_schedule"}, and a budget below its resident bytes with
// Error{oom_device, "device_budget"} before anything is allocated.
std::unique_ptr<NumericStage> make_binary_search_numeric();

}  // namespace lufact::gpu
