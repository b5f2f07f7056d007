// SPDX-License-Identifier: BSD-3-Clause
// The section `matrix` of a run on dense matrices names its input: name, path, hash, generator and
// order; what is said of a sparse matrix is null.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>

#include "core/pipeline/record.hpp"

namespace lufact {

// Of a run that has a section `batch` or `dense`.
nlohmann::ordered_json matrix_of_arrays(const RunRecord& run);
std::optional<GeneratorFacts> generator_of_arrays(const nlohmann::ordered_json& matrix);

}  // namespace lufact
