// SPDX-License-Identifier: BSD-3-Clause
// Which run is faster, phase by phase.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/statistics.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

// What stands before the phase in comparisons of refactorizations: "refactor/numeric".
inline constexpr std::string_view refactor_prefix = "refactor/";
// The warning of runs whose solution nothing has checked.
inline constexpr std::string_view unverified_code = "unverified";

struct Comparison {
  std::string base_id, id, phase;  // phase: "total_s" or a top-level phase
  RatioEstimate estimate;          // base / this
  bool paired = false;             // whether repetitions were compared one with one
};

// What two runs' samples have to do with each other: repetitions of runs that took turns are pairs,
// others are not.
enum class Sampling { in_turns, apart };

// Repetitions of runs on the same input are pairs only where they took turns. A sweep that was
// interrupted and resumed has runs of several invocations.
bool took_turns(const RunRecord& a, const RunRecord& b);

// A phase that both runs have, with the samples of each: those of repetitions that both have where
// they took turns, else all.
struct SharedPhase {
  std::string phase;
  std::vector<double> base, other;  // seconds, above 0
  bool paired = false;
};

// total_s and every top-level phase of both, then those of their refactorizations, which never take
// turns. A phase in which a sample is not positive has no ratio and is left out.
std::vector<SharedPhase> shared_phases(const RunRecord& base, const RunRecord& other,
                                       Sampling sampling);

// The ratio of medians with its interval. `seed` is that of the bootstrap.
RatioEstimate compare_phase(const SharedPhase& phase, std::uint64_t seed);

// All phases that two runs share.
std::vector<Comparison> compare_pair(const RunRecord& base, const RunRecord& other,
                                     std::uint64_t seed);

bool is_verified(const RunRecord& run);

// For each input (same file, entries and `until`) and amount of work (work_amount.hpp) of one
// invocation, its first ok run against each later ok run, and every ok run of our stages against
// every ok peer, repetitions and then refactorizations. A run that is not ok, or that was not
// verified, is not compared: its times are not those of a solution.
std::vector<Comparison> compare_runs(std::span<const RunRecord> runs, std::uint64_t seed = 1);

// What the phase of compare_systems() is called.
inline constexpr std::string_view per_system_phase = "per_system";

// Runs of many systems that differ in their number: for each input of one invocation, its first ok
// run with `systems` against each later one of another number of them, in seconds of factorization
// and solution for each system.
std::vector<Comparison> compare_systems(std::span<const RunRecord> runs, std::uint64_t seed = 1);

// {base_id, id, phase, ratio, ci_low, ci_high, verdict, paired}
nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace lufact
