// SPDX-License-Identifier: BSD-3-Clause
// The effective configuration of one invocation of `lufact run`, and its JSON form, which is both
// the `config` of the result file and what the supervisor hands to its worker processes.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/config/common_config.hpp"
#include "app/config/sparse_config.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact {

struct RunConfig : CommonConfig, SparseConfig {
  std::vector<std::string> matrices;
  std::vector<std::string> modes{"auto"};

  // --mode none: no stages of ours.
  bool peers_only() const { return modes == std::vector<std::string>{"none"} && !peers.empty(); }
};

void visit_options(auto&& option, Is<RunConfig> auto& config) {
  using namespace option_groups;
  using enum OptionScope;
  option(
      Option{"--matrix", "matrices", runs,
             "Matrix Market file(s), comma-separated, or Group/Name of the SuiteSparse collection, "
             "which is fetched once",
             invocation},
      config.matrices, CommaSeparated{.one = "FILE", .required = true, .positional = true});
  option(Option{"--mode", "modes", runs,
                "Preset(s) of stages, comma-separated, or none for peers alone", invocation},
         config.modes, CommaSeparated{.one = "MODE"});
  visit_options(option, part_of<CommonConfig>(config));
  visit_options(option, part_of<SparseConfig>(config));
}

nlohmann::ordered_json to_json(const RunConfig& config);
RunConfig run_config_from_json(const nlohmann::json& json);

// Throws UsageError where options exclude each other or are out of range.
void check(const RunConfig& config);

// How a matrix is read, and what the stages are told, rates of this machine included. The
// dependency rule stays to be filled in: a chain decides it.
ReadOptions read_options(const RunConfig& config);
StageOptions stage_options(const RunConfig& config);

// The stages of a mode with this configuration's overrides. Throws UsageError on unknown names.
StageSelection select_stages(const RunConfig& config, const Mode& mode);

// The part of the configuration that decides what is measured: goes into a run's id.
nlohmann::ordered_json identity_options(const RunConfig& config);

}  // namespace lufact
