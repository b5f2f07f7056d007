// SPDX-License-Identifier: BSD-3-Clause
// Rates of a machine as a JSON file, and where a process finds its own.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/rates/rate_set.hpp"

namespace lufact {

// What runs choose by: LUFACT_RATES, the name of a shipped set or a file; else the file of the
// user's configuration folder, where there is one; else the first shipped set. Throws UsageError
// naming the file and the key that is wrong in it.
RateSet load_rates();

// "; lufact calibrate measures this machine's" of rates that were shipped, otherwise nothing.
std::string calibration_hint(const RateSet& set);

// $XDG_CONFIG_HOME/lufact/rates.json, by default in ~/.config; empty without a home.
std::optional<std::filesystem::path> user_rates_file();

// {"schema", "name", "rates": {group: {name: {"value", "unit", "origin", "meaning"}}}}
nlohmann::ordered_json to_json(const RateSet& set);
// What a file leaves out is as shipped; what it has beside `schema`, `name` and `rates` does not
// matter. `path` becomes the source. Throws UsageError.
RateSet rate_set_from_json(const nlohmann::json& json, const std::string& path);
RateSet read_rates(const std::string& path);

}  // namespace lufact
