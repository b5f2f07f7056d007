// SPDX-License-Identifier: BSD-3-Clause
// What a schema cannot say about the section on memory.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lufact {

// Contradictions in this section of a run, ".memory: ..." or ".memory.driver: ..." each.
std::vector<std::string> memory_violations(const nlohmann::json& memory);

}  // namespace lufact
