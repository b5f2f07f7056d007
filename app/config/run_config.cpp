// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/run_config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/config/json_optional.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string name_of(VerifyLevel level) {
  switch (level) {
    case VerifyLevel::full:
      return "full";
    case VerifyLevel::none:
      return "none";
    case VerifyLevel::residual:
      break;
  }
  return "residual";
}

VerifyLevel verify_level(const std::string& name) {
  if (name == "full") return VerifyLevel::full;
  return name == "none" ? VerifyLevel::none : VerifyLevel::residual;
}

DependencyRule parse_dependency(const std::string& name) {
  for (const DependencyRule rule :
       {DependencyRule::glu1, DependencyRule::exact, DependencyRule::relaxed}) {
    if (to_string(rule) == name) return rule;
  }
  throw UsageError(
      fmt::format("--dependency '{}' is not known; accepted: glu1, exact, relaxed", name));
}

ordered_json input_options(const RunConfig& config) {
  ordered_json result;
  result["symmetry"] = config.read.symmetry == SymmetryMode::expand ? "expand" : "stored";
  result["explicit_zeros"] = config.read.explicit_zeros == ExplicitZeros::drop ? "drop" : "keep";
  result["pattern_values"] =
      config.read.pattern_values == PatternValues::dominant ? "dominant" : "ones";
  result["zero_diagonals"] = or_null(config.read.zero_diagonals);
  result["without_banner"] = config.read.without_banner;
  return result;
}

void read_input_options(const json& from, ReadOptions& read) {
  read.symmetry = from.at("symmetry") == "expand" ? SymmetryMode::expand : SymmetryMode::stored;
  read.explicit_zeros =
      from.at("explicit_zeros") == "drop" ? ExplicitZeros::drop : ExplicitZeros::keep;
  read.pattern_values =
      from.at("pattern_values") == "dominant" ? PatternValues::dominant : PatternValues::ones;
  read_optional(from, "zero_diagonals", read.zero_diagonals);
  read.without_banner = from.at("without_banner").get<bool>();
}

void require(bool holds, const char* option, const std::string& accepted) {
  if (!holds) throw UsageError(fmt::format("{} is out of range; accepted: {}", option, accepted));
}

// Nothing is named that the stages of another family would not have, or not have like that.
bool leaves_family_open(const RunConfig& config) {
  return !config.symbolic && !config.levelize && !config.numeric && !config.dependency &&
         config.solve == "auto" && config.postorder == "auto" &&
         config.pivoting == Pivoting::fixed_rows && config.precision == Precision::float64 &&
         config.until == Until::solve;
}

}  // namespace

double RunConfig::effective_pivot_threshold() const {
  return pivot_threshold.value_or(default_pivot_threshold(precision));
}

double RunConfig::effective_threshold() const {
  return threshold.value_or(precision == Precision::float64 ? 1e-12 : 1e-10);
}

int RunConfig::effective_expect_refactorizations() const {
  return expect_refactorizations.value_or(refactor);
}

ordered_json to_json(const RunConfig& config) {
  ordered_json result;
  result["matrices"] = config.matrices;
  result["modes"] = config.modes;
  result["peers"] = config.peers;
  for (const auto& [key, value] :
       {std::pair{"scaling", &config.scaling}, std::pair{"ordering", &config.ordering},
        std::pair{"symbolic", &config.symbolic}, std::pair{"levelize", &config.levelize},
        std::pair{"dependency", &config.dependency}, std::pair{"numeric", &config.numeric},
        std::pair{"permutation", &config.permutation_file}, std::pair{"profile", &config.profile},
        std::pair{"rhs_file", &config.rhs_file}, std::pair{"write_solution", &config.solution_file},
        std::pair{"output", &config.output}}) {
    result[key] = or_null(*value);
  }
  result["solve"] = config.solve;
  result["postorder"] = config.postorder;
  result["until"] = to_string(config.until);
  result.update(input_options(config));
  result["allow_singular"] = config.allow_singular;
  result["precision"] = to_string(config.precision);
  result["pivoting"] = to_string(config.pivoting);
  result["pivot_threshold"] = or_null(config.pivot_threshold);
  result["device_memory_limit"] = or_null(config.device_memory_limit);
  result["host_memory_limit"] = or_null(config.host_memory_limit);
  result["timeout_s"] = or_null(config.timeout_s);
  result["threads"] = config.threads;
  result["device"] = config.device;
  result["warmup"] = config.warmup;
  result["repetitions"] = config.repetitions;
  result["refactor"] = config.refactor;
  result["expect_refactorizations"] = config.effective_expect_refactorizations();
  result["rhs"] = config.rhs;
  result["seed"] = config.seed;
  result["verify"] = name_of(config.verify);
  result["threshold"] = or_null(config.threshold);
  result["record_profile"] = config.record_profile;
  result["count_page_faults"] = config.count_page_faults;
  result["symbolic_parts"] = config.symbolic_parts;
  result["um_bytes"] = or_null(config.managed.bytes);
  result["um_host_start"] = config.managed.host_start;
  result["um_evict_between_chunks"] = config.managed.evict_between_chunks;
  result["um_allow_oversubscription"] = config.managed.allow_oversubscription;
  result["glu_mode"] = to_string(config.glu_mode);
  result["glu_thresholds"] = or_null(config.glu_thresholds);
  result["parallel_columns"] = or_null(config.parallel_columns);
  result["force_unsafe"] = config.force_unsafe;
  result["quiet"] = config.quiet;
  return result;
}

RunConfig run_config_from_json(const json& from) {
  RunConfig config;
  config.matrices = from.at("matrices").get<std::vector<std::string>>();
  config.modes = from.at("modes").get<std::vector<std::string>>();
  config.peers = from.at("peers").get<std::vector<std::string>>();
  read_optional(from, "scaling", config.scaling);
  read_optional(from, "ordering", config.ordering);
  read_optional(from, "symbolic", config.symbolic);
  read_optional(from, "levelize", config.levelize);
  read_optional(from, "dependency", config.dependency);
  read_optional(from, "numeric", config.numeric);
  read_optional(from, "permutation", config.permutation_file);
  read_optional(from, "profile", config.profile);
  read_optional(from, "rhs_file", config.rhs_file);
  read_optional(from, "write_solution", config.solution_file);
  read_optional(from, "output", config.output);
  config.solve = from.at("solve").get<std::string>();
  config.postorder = from.at("postorder").get<std::string>();
  config.until = parse_until(from.at("until").get<std::string>()).value();
  read_input_options(from, config.read);
  config.allow_singular = from.at("allow_singular").get<bool>();
  config.precision = from.at("precision") == "float" ? Precision::float32 : Precision::float64;
  config.pivoting = parse_pivoting(from.at("pivoting").get<std::string>()).value();
  read_optional(from, "pivot_threshold", config.pivot_threshold);
  read_optional(from, "device_memory_limit", config.device_memory_limit);
  read_optional(from, "host_memory_limit", config.host_memory_limit);
  read_optional(from, "timeout_s", config.timeout_s);
  config.threads = from.at("threads").get<int>();
  config.device = from.at("device").get<int>();
  config.warmup = from.at("warmup").get<int>();
  config.repetitions = from.at("repetitions").get<int>();
  config.refactor = from.at("refactor").get<int>();
  read_optional(from, "expect_refactorizations", config.expect_refactorizations);
  config.rhs = from.at("rhs").get<int>();
  config.seed = from.at("seed").get<std::uint64_t>();
  config.verify = verify_level(from.at("verify").get<std::string>());
  read_optional(from, "threshold", config.threshold);
  config.record_profile = from.at("record_profile").get<bool>();
  config.count_page_faults = from.at("count_page_faults").get<bool>();
  config.symbolic_parts = from.at("symbolic_parts").get<int>();
  read_optional(from, "um_bytes", config.managed.bytes);
  config.managed.host_start = from.at("um_host_start").get<bool>();
  config.managed.evict_between_chunks = from.at("um_evict_between_chunks").get<bool>();
  config.managed.allow_oversubscription = from.at("um_allow_oversubscription").get<bool>();
  config.glu_mode = parse_glu_mode(from.at("glu_mode").get<std::string>()).value();
  read_optional(from, "glu_thresholds", config.glu_thresholds);
  read_optional(from, "parallel_columns", config.parallel_columns);
  config.force_unsafe = from.at("force_unsafe").get<bool>();
  config.quiet = from.at("quiet").get<bool>();
  config.read.seed = config.seed;
  config.read.threads = config.threads;
  return config;
}

void check(const RunConfig& config) {
  require(config.repetitions >= 1, "--repetitions", "1 or more");
  require(config.warmup >= 0, "--warmup", "0 or more");
  require(config.refactor >= 0, "--refactor", "0 or more");
  require(config.effective_expect_refactorizations() >= 0, "--expect-refactorizations",
          "0 or more");
  require(config.rhs >= 1, "--rhs", "1 or more");
  require(config.threads >= 0, "--threads", "1 or more; 0 for all");
  require(config.symbolic_parts >= 1, "--symbolic-parts", "1 or more");
  require(!config.parallel_columns || *config.parallel_columns >= 1, "--parallel-columns",
          "1 or more");
  require(!config.pivot_threshold || *config.pivot_threshold >= 0, "--pivot-threshold",
          "0 or more");
  require(!config.timeout_s || *config.timeout_s > 0, "--timeout", "seconds above 0");
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
  if (config.solution_file && (config.matrices.size() != 1 || variants != 1)) {
    throw UsageError("--write-solution takes one matrix and one mode, or one peer and --mode none");
  }
  const bool names_none =
      std::find(config.modes.begin(), config.modes.end(), "none") != config.modes.end();
  if (names_none && !config.peers_only()) {
    throw UsageError("--mode none stands alone, with --peer beside it");
  }
  if (!config.peers.empty() && config.until != Until::solve) {
    throw UsageError("--peer is verified by its solution; leave --until at solve");
  }
  if (config.dependency == "glu1" && config.until >= Until::numeric && !config.force_unsafe) {
    throw UsageError(
        "--dependency glu1 gives wrong factors; use it with --until levelize, or, to study what "
        "goes wrong, with --force-unsafe");
  }
  if (config.glu_thresholds) {
    const auto [wide, middle, narrow] = *config.glu_thresholds;
    require(wide >= middle && middle >= narrow && narrow >= 0, "--glu-thresholds",
            "auto, or three level widths A,B,C with A >= B >= C >= 0");
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
  stages.pivoting = config.pivoting;
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
  for (const char* key :
       {"matrices", "modes", "peers", "output", "write_solution", "quiet", "timeout_s",
        "host_memory_limit", "record_profile", "count_page_faults"}) {
    options.erase(key);
  }
  return options;
}

}  // namespace lufact
