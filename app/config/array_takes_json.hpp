// SPDX-License-Identifier: BSD-3-Clause
// Which matrices a stage or a foreign library takes, as JSON: `lufact list --json` has it, and a
// worker process tells it.
#pragma once
#include <nlohmann/json.hpp>

#include "core/array/array_stage.hpp"

namespace lufact {

// {"operations", "layouts", "precisions", "pivoting", "least_order", "largest_order",
// "built_orders", "arithmetics", "workload"}.
nlohmann::ordered_json array_takes_to_json(const ArrayStageFacts& facts);
// Fills what array_takes_to_json() writes.
void array_takes_from_json(const nlohmann::json& json, ArrayStageFacts& facts);

}  // namespace lufact
