// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/run_config.hpp"

#include <algorithm>

#include "app/config/choices.hpp"
#include "app/config/machine_json.hpp"
#include "app/config/option_values.hpp"
#include "app/config/rates_file.hpp"
#include "app/config/typed_values.hpp"
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
         config.gsofa.supernodes != SupernodeRule::t3 && config.precision == Precision::float64 &&
         config.until == Until::solve;
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
  refuse_repeated("--matrix", config.matrices);
  refuse_repeated("--mode", config.modes);
  refuse_repeated("--peer", config.peers);
  if (config.solution_file) require_writable("--write-solution", *config.solution_file);
  const bool names_none =
      std::find(config.modes.begin(), config.modes.end(), "none") != config.modes.end();
  if (names_none && !config.peers_only()) {
    throw UsageError("--mode none stands alone, with --peer beside it");
  }
  if (!config.peers.empty() && config.until != Until::solve) {
    throw UsageError("--peer is verified by its solution; leave --until at solve");
  }
  if (config.gsofa.ranks && config.count_page_faults) {
    throw UsageError("--count-page-faults counts those of one process; leave --ranks out");
  }
  config.gsofa.check();
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
  return options;
}

}  // namespace lufact
