// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <nlohmann/json.hpp>

#include "app/workload/workload.hpp"

namespace lufact {

// The JSON Schema of configurations, for editors and for whoever writes one by a program. Its
// options come from the declarations of the command line. It knows nothing of what parsing checks
// beside: names that occur twice, stages that do not fit.
nlohmann::ordered_json sweep_config_schema(const Workloads& workloads);

}  // namespace lufact
