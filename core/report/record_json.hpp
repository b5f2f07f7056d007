// SPDX-License-Identifier: BSD-3-Clause
// The record of a run as JSON, as the result file spells it, and back. Every key is always there:
// what is not known is null, and so is a number that is not finite. A worker process streams
// samples and records to its supervisor in the same form.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "core/pipeline/record.hpp"

namespace lufact {

nlohmann::ordered_json to_json(const PhaseTime& phase);
nlohmann::ordered_json to_json(const Sample& sample);
// The facts of a matrix that could not be read (no field, n = 0) are null beside name and path.
// `missing_diagonals_added` belongs to the run and is null here.
nlohmann::ordered_json to_json(const MatrixFacts& facts);
// Adds `summary` and `refactor_summary`, computed from the samples, and `rates` and
// `refactor_rates` (phase_rates.hpp) without shares of peaks; bins the profile (profile_bins.hpp).
nlohmann::ordered_json to_json(const RunRecord& run);
nlohmann::ordered_json to_json(const UnifiedMemoryRecord& unified);
nlohmann::ordered_json to_json(const DriverMemoryRecord& driver);
nlohmann::ordered_json to_json(const GsofaSources& sources);

// The inverses; nlohmann::json converts to the argument (which is ordered so that the sizes of a
// generator keep their order). Null becomes an empty optional, an empty list or text, and NaN for
// a number that is not optional. Throw nlohmann::json::exception where a key is missing or has the
// wrong type, std::invalid_argument where a name is unknown.
PhaseTime phase_from_json(const nlohmann::ordered_json& json);
Sample sample_from_json(const nlohmann::ordered_json& json);
MatrixFacts matrix_from_json(const nlohmann::ordered_json& json);
UnifiedMemoryRecord unified_memory_from_json(const nlohmann::ordered_json& json);
DriverMemoryRecord driver_memory_from_json(const nlohmann::ordered_json& json);
GsofaSources gsofa_sources_from_json(const nlohmann::ordered_json& json);
RunRecord run_from_json(const nlohmann::ordered_json& json);

// One line without its end (indent < 0), or indented text. Bytes that are not UTF-8, which file
// names may hold, become U+FFFD, so that writing never fails.
std::string dump_json(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace lufact
