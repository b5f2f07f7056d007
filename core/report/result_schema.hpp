// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schema (draft 7) of the result file and what breaks it. The schema uses only keywords
// that RapidJSON 1.1 honours, which knows draft 4; a test holds it to that.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lufact {

// The text of lufact-result.schema.json, as installed.
const std::string& result_schema();

// More violations of one file than that are not listed.
inline constexpr std::size_t most_violations = 1000;

// Where a result file of schema 1.x or 2.x breaks it: "runs[0].factors: ..." each; empty for a
// valid file.
std::vector<std::string> schema_violations(const nlohmann::json& file);

// The same for any other schema that keeps to those keywords, such as that of configurations.
std::vector<std::string> violations(const nlohmann::json& schema, const nlohmann::json& value);

// The same for a single run, such as a line of the journal.
std::vector<std::string> run_schema_violations(const nlohmann::json& run);

}  // namespace lufact
