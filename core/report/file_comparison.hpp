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

// What counts as a change, and of what.
struct ComparisonOptions {
  // Names of phases, "total", "numeric", "refactor", "refactor/solve"; "all" is every one.
  std::vector<std::string> phases{"total", "numeric", "refactor"};
  bool phases_chosen = false;  // by the user: then a name that no run has is a fault
  double threshold = 0.05;     // of the quicker side's time: less is no change
  double floor_s = 1e-3;       // the same in seconds
  std::uint64_t seed = 1;      // of the bootstrap
};

// One phase of one run that both files have. Samples of two files never took turns, so that all of
// either are compared, unpaired.
struct ComparedPhase {
  std::string matrix, variant;  // the variant with its amount of work
  std::string phase;            // as the user names it
  double median_a = 0, median_b = 0;
  RatioEstimate estimate;  // a / b: above 1, b is faster; the verdict is that by the options
};

struct FileComparison {
  std::vector<ComparedPhase> phases;
  // Runs that could not be compared and counts that differ, a sentence each.
  std::vector<std::string> notes;
  // Why the comparison as a whole says nothing: no run in common, a phase that none has, no phase
  // with enough samples. A sentence each.
  std::vector<std::string> faults;
  bool outcome_lost = false;  // a run that is ok in a is not in b
};

// Pairs the runs of two result files (schema 1.x or 2.x, valid) by workload, input, what was read
// of it, `until`, variant (of a sweep, where there is one) and amount of work (work_amount.hpp).
// Only ok runs on the same input (by hash) are compared; of runs that differ in their amount of
// work alone a note gives both, with their systems a second.
FileComparison compare_files(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b,
                             const ComparisonOptions& options);

// Whether something became slower, is no longer ok, or could not be compared at all.
bool is_worse(const FileComparison& comparison);

// A phase over the matrices on which a variant was compared.
struct PhaseSummary {
  std::string variant, phase;
  std::size_t n = 0;
  double geometric_mean = 0, least = 0, largest = 0;  // of the ratios
  std::map<Verdict, std::size_t> verdicts;
};
std::vector<PhaseSummary> summarize_phases(const std::vector<ComparedPhase>& phases);

}  // namespace lufact
