// SPDX-License-Identifier: BSD-3-Clause
// Two result files, run by run: what became faster or slower.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/report/comparisons.hpp"

namespace lufact {

// One phase of one run that both files have.
struct ComparedPhase {
  std::string matrix, variant, phase;
  double median_a = 0, median_b = 0;
  RatioEstimate estimate;  // a / b: above 1, b is faster
};

struct FileComparison {
  std::vector<ComparedPhase> phases;
  // Runs that could not be compared and counts that differ, a sentence each.
  std::vector<std::string> notes;
  bool outcome_lost = false;  // a run that is ok in a is not in b
};

// Pairs the runs of two result files (schema 1.x or 2.x, valid) by workload, input, what was read
// of it, `until` and variant (of a sweep, where there is one), then their repetitions by number.
// Only ok runs on the same input (by hash) are compared.
FileComparison compare_files(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b,
                             std::uint64_t seed);

// A phase over the matrices on which a variant was compared.
struct PhaseSummary {
  std::string variant, phase;
  std::size_t n = 0;
  double geometric_mean = 0, least = 0, largest = 0;  // of the ratios
  std::map<Verdict, std::size_t> verdicts;
};
std::vector<PhaseSummary> summarize_phases(const std::vector<ComparedPhase>& phases);

}  // namespace lufact
