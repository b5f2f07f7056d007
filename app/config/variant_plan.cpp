// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/variant_plan.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/sha256.hpp"
#include "core/report/build_info.hpp"

namespace lufact {
namespace {

std::string file_stem(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  for (const char* ending : {".tar.gz", ".tgz", ".gz", ".xz", ".mtx"}) {
    if (name.size() > std::string(ending).size() && name.ends_with(ending)) {
      name.resize(name.size() - std::string(ending).size());
    }
  }
  return name;
}

}  // namespace

VariantPlan plan_variant(const Catalogue& catalogue, const RunConfig& config,
                         const std::string& mode, const Machine& machine) {
  VariantPlan plan;
  plan.config = config;
  plan.mode = mode;
  std::vector<Choice> choices;
  if (mode == "auto") {
    const AutoMode chosen = choose_mode(catalogue, config, machine);
    plan.mode = chosen.name;
    choices.push_back(chosen.choice);
  }
  plan.chain = resolve_chain(catalogue, select_stages(config, catalogue.mode(plan.mode)));
  plan.pipeline = plan.chain.record(config.until, config.precision);
  plan.pipeline.choices = std::move(choices);
  plan.support = plan.chain.supported(machine, config.until);
  return plan;
}

VariantPlan plan_peer(const RunConfig& config, const std::string& peer) {
  VariantPlan plan;
  plan.config = config;
  plan.mode = "peer";
  plan.pipeline.peer = peer;
  return plan;
}

std::vector<VariantPlan> plan_variants(const Catalogue& catalogue, const RunConfig& config,
                                       const Machine& machine) {
  std::vector<VariantPlan> plans;
  for (const std::string& mode : config.modes) {
    if (config.peers_only()) break;
    plans.push_back(plan_variant(catalogue, config, mode, machine));
  }
  for (const std::string& peer : config.peers) plans.push_back(plan_peer(config, peer));
  return plans;
}

AutoMode choose_mode(const Catalogue& catalogue, const RunConfig& config, const Machine& machine) {
  AutoMode result;
  result.choice.stage = "mode";
  for (const Mode& mode : catalogue.modes) {
    result.choice.candidates.push_back(mode.name);
    if (!result.name.empty()) continue;
    const Chain chain = resolve_chain(catalogue, select_stages(config, mode));
    const Support support = chain.supported(machine, config.until);
    if (support.ok) {
      result.name = mode.name;
      result.choice.reason += "the first mode that this machine can run";
    } else {
      result.choice.reason += fmt::format("not {}: {}; ", mode.name, support.reason);
    }
  }
  if (result.name.empty()) throw UsageError("no mode can run here: " + result.choice.reason);
  result.choice.chosen = result.name;
  return result;
}

std::string run_id(const VariantPlan& plan, const std::string& matrix_sha256) {
  nlohmann::ordered_json identity;
  identity["matrix"] = matrix_sha256;
  identity["pipeline"] = {
      plan.pipeline.scaling.value_or(""),    plan.pipeline.ordering.value_or(""),
      plan.pipeline.symbolic.value_or(""),   plan.pipeline.levelize.value_or(""),
      plan.pipeline.dependency.value_or(""), plan.pipeline.numeric.value_or(""),
      plan.pipeline.solve.value_or(""),      plan.pipeline.postorder.value_or(false)};
  if (plan.pipeline.peer) identity["peer"] = *plan.pipeline.peer;
  identity["options"] = identity_options(plan.config);
  identity["git_sha"] = build_info().git_sha;
  return sha256_of_text(identity.dump()).substr(0, 16);
}

RunRecord begin_record(const VariantPlan& plan, const std::string& matrix_path,
                       const std::string& matrix_sha256) {
  RunRecord record;
  record.id = run_id(plan, matrix_sha256);
  record.mode = plan.mode;
  record.until = std::string(to_string(plan.config.until));
  record.matrix.path = matrix_path;
  record.matrix.name = file_stem(matrix_path);
  record.matrix.sha256 = matrix_sha256;
  record.matrix.symmetry = plan.config.given_read.symmetry;
  record.matrix.explicit_zeros = plan.config.given_read.explicit_zeros;
  record.pipeline = plan.pipeline;
  return record;
}

}  // namespace lufact
