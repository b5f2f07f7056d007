// SPDX-License-Identifier: BSD-3-Clause
// The samples of a run, phase by phase, and their summaries.
#pragma once
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/pipeline/record.hpp"

namespace lufact {

// The values of one phase, or of `total_s`, over the repetitions that have it.
struct PhaseSeries {
  std::string name;
  std::vector<int> repetitions;
  std::vector<double> seconds;  // finite, one per entry of `repetitions`
};

// "total_s" first, then the top-level phases in the order of their first occurrence. Values that
// are not finite are left out, and so is a series without values.
std::vector<PhaseSeries> top_level_series(std::span<const Sample> samples);

// {"total_s": null or {n, median, q1, q3, min, max}, PHASE: {...}, ...}.
nlohmann::ordered_json summary_json(std::span<const Sample> samples);

}  // namespace lufact
