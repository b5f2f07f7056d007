// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/run_config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/config/choices.hpp"
#include "app/config/machine_json.hpp"
#include "app/config/option_values.hpp"
#include "app/config/peer_names.hpp"
#include "app/config/rates_file.hpp"
#include "app/config/typed_values.hpp"
#include "baselines/peers/known_peers.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// The order that keys have had in results since 1.0; ids are hashed in it. Options that are not
// here follow as they are declared, so that a new one needs no entry.
constexpr const char* first_keys[] = {"matrices",
                                      "modes",
                                      "peers",
                                      "scaling",
                                      "ordering",
                                      "symbolic",
                                      "levelize",
                                      "dependency",
                                      "numeric",
                                      "permutation",
                                      "profile",
                                      "rhs_file",
                                      "write_solution",
                                      "output",
                                      "solve",
                                      "postorder",
                                      "until",
                                      "symmetry",
                                      "explicit_zeros",
                                      "pattern_values",
                                      "zero_diagonals",
                                      "without_banner",
                                      "allow_singular",
                                      "precision",
                                      "pivoting",
                                      "pivot_threshold",
                                      "device_memory_limit",
                                      "host_memory_limit",
                                      "timeout_s",
                                      "threads",
                                      "device",
                                      "warmup",
                                      "repetitions",
                                      "refactor",
                                      "expect_refactorizations",
                                      "rhs",
                                      "seed",
                                      "verify",
                                      "threshold",
                                      "record_profile",
                                      "count_page_faults",
                                      "count_device_memory",
                                      "symbolic_parts",
                                      "um_bytes",
                                      "um_host_start",
                                      "um_evict_between_chunks",
                                      "um_allow_oversubscription",
                                      "glu_mode",
                                      "glu_thresholds",
                                      "parallel_columns",
                                      "force_unsafe",
                                      "quiet"};

DependencyRule parse_dependency(const std::string& name) {
  require_known("--dependency", name, spellings<DependencyRule>());
  return parse_choice<DependencyRule>(name).value();
}

// Nothing is named that the stages of another family would not have, or not have like that.
bool leaves_family_open(const RunConfig& config) {
  return !config.symbolic && !config.levelize && !config.numeric && !config.dependency &&
         config.solve == "auto" && config.postorder == "auto" &&
         config.given_stage.pivoting == Pivoting::fixed_rows &&
         config.given_stage.factors == FactorPlace::automatic &&
         config.gsofa.supernodes != SupernodeRule::t3 && config.precision == Precision::float64 &&
         config.until == Until::solve && !config.systems;
}

bool is_program(const std::string& peer) {
  return external_command(peer).has_value() || is_peer_program(peer);
}

void check_systems(const RunConfig& config) {
  const auto refuse = [](bool given, const char* what) {
    if (given) throw UsageError(what);
  };
  refuse(config.systems_file && !config.systems,
         "--systems-file has values of many systems; give --systems K too");
  if (!config.systems) return;
  refuse(config.until != Until::solve,
         "--systems verifies every system by its solution; leave --until at solve");
  refuse(config.rhs != 1, "--systems has one right-hand side for each system; leave --rhs out");
  refuse(config.rhs_file.has_value(),
         "--systems makes the right-hand sides of its systems; leave --rhs-file out");
  refuse(config.solution_file.has_value(),
         "--write-solution writes the solution of one system; leave --systems out");
  refuse(config.refactoring.values == Side::device,
         "--systems brings values from the host; leave --values out");
  refuse(config.refactoring.phases != PhaseTiming::waits,
         "--systems waits at the end of each phase; leave --phases out");
  refuse(config.given_stage.factors == FactorPlace::host,
         "--systems keeps factors on the device; leave --factors out");
  refuse(std::ranges::any_of(config.peers, is_program),
         "--systems: a --peer that is a program takes one system at a time; leave it out");
  refuse(config.systems_file && config.given_read.zero_diagonals,
         "--zero-diagonals has no values in --systems-file; leave one of them out");
  refuse(config.gsofa.ranks.has_value(), "--systems runs in one process; leave --ranks out");
}

void check_transpose(const RunConfig& config) {
  if (!config.transpose) return;
  const auto refuse = [](bool given, const char* what) {
    if (given) throw UsageError(what);
  };
  refuse(config.until != Until::solve, "--transpose is of solves; leave --until at solve");
  refuse(config.systems.has_value(),
         "--systems solves with its matrices themselves; leave --transpose out");
}

bool names_peer(const RunConfig& config, std::string_view name) {
  return std::ranges::find(config.peers, name) != config.peers.end();
}

void check_last_step_of_peers(const RunConfig& config) {
  if (config.until == Until::solve || config.peers.empty()) return;
  if (config.until == Until::symbolic && std::ranges::all_of(config.peers, is_peer_program)) return;
  throw UsageError(
      "--peer is verified by its solution; leave --until at solve, or, with superlu-dist-seq and "
      "superlu-dist-par alone, at symbolic");
}

void check_ranks_of_peers(const RunConfig& config) {
  if (config.peers_only() && config.gsofa.exchange) {
    throw UsageError("--exchange is among ranks of our stages; no peer reads it; leave it out");
  }
  if (!config.peers_only() || !config.gsofa.ranks || names_peer(config, parallel_symbolic_peer)) {
    return;
  }
  throw UsageError(fmt::format("--ranks: no peer of these runs in several processes; accepted: {}",
                               parallel_symbolic_peer));
}

void check_written_permutation(const RunConfig& config) {
  if (!config.written_permutation) return;
  if (config.matrices.size() != 1 || !config.peers_only() || config.peers.size() != 1 ||
      !names_peer(config, parallel_symbolic_peer)) {
    throw UsageError(fmt::format("--write-permutation takes one matrix and --mode none --peer {}",
                                 parallel_symbolic_peer));
  }
  require_writable("--write-permutation", *config.written_permutation);
}

}  // namespace

ordered_json to_json(const RunConfig& config) {
  ordered_json result;
  for (const char* key : first_keys) result[key] = nullptr;
  const auto write = [&](const Option& option, const auto& value, const auto&...) {
    result[option.key] = encode_value(value);
  };
  visit_options(write, config);
  result["expect_refactorizations"] = config.effective_expect_refactorizations();
  return result;
}

RunConfig run_config_from_json(const json& from) {
  return options_from_json<RunConfig>(from);
}

ReadOptions read_options(const RunConfig& config) {
  ReadOptions options = config.given_read;
  options.seed = config.seed;
  options.threads = config.threads;
  return options;
}

StageOptions stage_options(const RunConfig& config) {
  StageOptions options = config.given_stage;
  options.precision = config.precision;
  options.pivot_threshold =
      config.pivot_threshold.value_or(default_pivot_threshold(config.precision));
  options.permutation_file = config.permutation_file.value_or("");
  options.threads = effective_threads(config.threads);
  options.expect_refactorizations = config.effective_expect_refactorizations();
  options.rates = load_rates().rates;
  return options;
}

void check(const RunConfig& config) {
  visit_options(RangeCheck{}, config);
  check_repetitions(config);
  if (config.refactor > 0 && config.until != Until::solve) {
    throw UsageError("--refactor needs the whole pipeline; leave --until at solve");
  }
  for (const auto& [option, given] :
       {std::pair{"--values device", config.refactoring.values == Side::device},
        std::pair{"--phases", config.refactoring.phases != PhaseTiming::waits}}) {
    if (given && config.refactor == 0) {
      throw UsageError(fmt::format("{} is of refactorizations; give --refactor N too", option));
    }
  }
  if (config.permutation_file && config.ordering && *config.ordering != "file") {
    throw UsageError("--permutation gives the ordering; leave --ordering out");
  }
  if (config.rhs_file && config.rhs != 1) {
    throw UsageError("--rhs-file says how many right-hand sides there are; leave --rhs out");
  }
  const std::size_t variants =
      config.peers.size() + (config.peers_only() ? 0 : config.modes.size());
  if (config.solution_file && config.until != Until::solve) {
    throw UsageError("--write-solution: without --until solve there is no solution");
  }
  if (config.given_read.zero_diagonals == 0.0) {
    throw UsageError("--zero-diagonals is out of range; accepted: a number other than 0");
  }
  if (config.solution_file && (config.matrices.size() != 1 || variants != 1)) {
    throw UsageError("--write-solution takes one matrix and one mode, or one peer and --mode none");
  }
  refuse_repeated_files("--matrix", config.matrices);
  refuse_repeated("--mode", config.modes);
  refuse_repeated("--peer", config.peers);
  if (config.solution_file) require_writable("--write-solution", *config.solution_file);
  const bool names_none =
      std::find(config.modes.begin(), config.modes.end(), "none") != config.modes.end();
  if (names_none && !config.peers_only()) {
    throw UsageError("--mode none stands alone, with --peer beside it");
  }
  check_last_step_of_peers(config);
  check_ranks_of_peers(config);
  check_written_permutation(config);
  if (config.gsofa.ranks && config.count_page_faults) {
    throw UsageError("--count-page-faults counts those of one process; leave --ranks out");
  }
  if (config.count_device_memory && config.gsofa.ranks) {
    throw UsageError("--count-device-memory counts that of one process; leave --ranks out");
  }
  if (config.count_device_memory && config.gsofa.device_numbers().size() > 1) {
    throw UsageError("--count-device-memory counts that of one device; leave --devices out");
  }
  config.gsofa.check();
  check_systems(config);
  check_transpose(config);
  if (config.dependency == "glu1" && config.until >= Until::numeric &&
      !config.given_stage.force_unsafe) {
    throw UsageError(
        "--dependency glu1 gives wrong factors; use it with --until levelize, or, to study what "
        "goes wrong, with --force-unsafe");
  }
}

StageSelection select_stages(const RunConfig& config, const Mode& mode) {
  StageSelection stages = mode.stages;
  if (config.scaling) stages.scaling = *config.scaling;
  if (config.ordering) stages.ordering = *config.ordering;
  if (config.permutation_file) stages.ordering = "file";
  if (config.symbolic) stages.symbolic = *config.symbolic;
  if (config.levelize) stages.levelize = *config.levelize;
  if (config.systems && !stages.systems_numeric.empty()) stages.numeric = stages.systems_numeric;
  if (config.numeric) stages.numeric = *config.numeric;
  if (config.dependency) stages.dependency = parse_dependency(*config.dependency);
  stages.pivoting = config.given_stage.pivoting;
  if (config.solve != "auto") stages.solve = config.solve;
  if (!leaves_family_open(config)) stages.family.clear();
  if (config.postorder != "auto") stages.postorder = config.postorder == "on";
  if (stages.ordering == "file" && !config.permutation_file) {
    throw UsageError("--ordering file needs --permutation FILE");
  }
  return stages;
}

ordered_json identity_options(const RunConfig& config) {
  ordered_json options = to_json(config);
  const auto leave_out = [&](const Option& option, const auto&...) {
    if (option.scope != OptionScope::measurement) options.erase(option.key);
  };
  visit_options(leave_out, config);
  // Options that came when there were records already: at their defaults they change no id.
  const RunConfig defaults;
  const auto leave_out_default = [&](const char* key, bool is_default) {
    if (is_default) options.erase(key);
  };
  leave_out_default("values", config.refactoring.values == defaults.refactoring.values);
  leave_out_default("systems_file", config.systems_file == defaults.systems_file);
  leave_out_default("phases", config.refactoring.phases == defaults.refactoring.phases);
  leave_out_default("transpose", config.transpose == defaults.transpose);
  leave_out_default("exchange", config.gsofa.exchange_or_auto() == ExchangeOption::automatic);
  return options;
}

}  // namespace lufact
