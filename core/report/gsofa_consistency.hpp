// SPDX-License-Identifier: BSD-3-Clause
// What a schema cannot say about the sections on GSoFa and on supernodes.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lufact {

// Contradictions in these sections of a run, ".gsofa: ...", ".supernodes: ..." or
// ".distribution: ..." each; none where
// they are not there. consistency.hpp lists them.
std::vector<std::string> gsofa_violations(const nlohmann::json& run);

}  // namespace lufact
