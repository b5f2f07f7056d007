// SPDX-License-Identifier: BSD-3-Clause
// A description for the terminal and as JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "app/describe/matrix_description.hpp"

namespace lufact {

std::string description_text(const MatrixDescription& description);
nlohmann::ordered_json to_json(const MatrixDescription& description);
nlohmann::ordered_json to_json(const std::optional<GsofaBatch>& batch);

// "12.3 ms", three digits.
std::string seconds_text(double seconds);

}  // namespace lufact
