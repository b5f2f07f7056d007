// SPDX-License-Identifier: BSD-3-Clause
// Which run is faster, phase by phase.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/measure/statistics.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

struct Comparison {
  std::string base_id, id, phase;  // phase: "total_s" or a top-level phase
  RatioEstimate estimate;          // base / this
};

// Repetitions of runs on the same input are pairs only where they took turns. A sweep that was
// interrupted and resumed has runs of several invocations.
bool took_turns(const RunRecord& a, const RunRecord& b);

// Compares two runs by repetition, over the repetitions that both have: total_s and every top-level
// phase of both. A phase in which a sample is not positive has no ratio and is left out.
std::vector<Comparison> compare_pair(const RunRecord& base, const RunRecord& other,
                                     std::uint64_t seed);

// For each input (same file, entries and `until`) of one invocation, its first ok run against each
// later ok run, and every ok run of our stages against every ok peer. A run that is not ok is not
// compared: its times are not those of a solution.
std::vector<Comparison> compare_runs(std::span<const RunRecord> runs, std::uint64_t seed = 1);

// {base_id, id, phase, ratio, ci_low, ci_high, verdict}
nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace lufact
