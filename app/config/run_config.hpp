// SPDX-License-Identifier: BSD-3-Clause
// The effective configuration of one invocation of `lufact run`, and its JSON form, which is both
// the `config` of the result file and what the supervisor hands to its worker processes.
#pragma once
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/matrix/facts.hpp"
#include "core/pipeline/catalogue.hpp"
#include "core/pipeline/options.hpp"

namespace lufact {

struct RunConfig {
  std::vector<std::string> matrices;
  std::vector<std::string> modes{"auto"};
  std::vector<std::string> peers;  // see peer_names.hpp
  // Overrides of the mode's preset; empty: as the mode says.
  std::optional<std::string> scaling, ordering, symbolic, levelize, dependency, numeric;
  std::string solve = "auto";
  std::string postorder = "auto";
  std::optional<std::string> permutation_file;
  Until until = Until::solve;
  ReadOptions read;
  bool allow_singular = false;
  std::optional<std::string> profile;  // "paper"
  Precision precision = Precision::float64;
  Pivoting pivoting = Pivoting::fixed_rows;
  std::optional<double> pivot_threshold;
  std::optional<std::uint64_t> device_memory_limit, host_memory_limit;
  std::optional<double> timeout_s;
  int threads = 0;  // 0: all
  int device = 0;
  int warmup = 1, repetitions = 5, refactor = 0;
  std::optional<int> expect_refactorizations;  // default: refactor
  int rhs = 1;
  std::optional<std::string> rhs_file, solution_file, output;
  std::uint64_t seed = 1;
  VerifyLevel verify = VerifyLevel::residual;
  std::optional<double> threshold;
  bool record_profile = false;
  bool count_page_faults = false;  // in a repetition of its own, never a timed one
  int symbolic_parts = 2;
  ManagedOptions managed;
  GluMode glu_mode = GluMode::automatic;
  std::optional<std::array<int, 3>> glu_thresholds;
  std::optional<Offset> parallel_columns;
  bool force_unsafe = false;
  bool quiet = false;

  // --mode none: no stages of ours.
  bool peers_only() const { return modes == std::vector<std::string>{"none"} && !peers.empty(); }
  double effective_pivot_threshold() const;
  int effective_expect_refactorizations() const;
  double effective_threshold() const;  // 1e-12; float factors refined in double 1e-10
};

nlohmann::ordered_json to_json(const RunConfig& config);
RunConfig run_config_from_json(const nlohmann::json& json);

// Throws UsageError where options exclude each other or are out of range.
void check(const RunConfig& config);

// The stages of a mode with this configuration's overrides. Throws UsageError on unknown names.
StageSelection select_stages(const RunConfig& config, const Mode& mode);

// The part of the configuration that decides what is measured: goes into a run's id.
nlohmann::ordered_json identity_options(const RunConfig& config);

}  // namespace lufact
