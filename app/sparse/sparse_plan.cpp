// SPDX-License-Identifier: BSD-3-Clause
#include "app/sparse/sparse_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/config/measuring.hpp"
#include "app/config/peer_names.hpp"
#include "app/config/rates_file.hpp"
#include "app/config/stage_readers.hpp"
#include "app/run/launch.hpp"
#include "baselines/peers/known_peers.hpp"
#include "core/base/error.hpp"
#include "core/base/sha256.hpp"
#include "core/pipeline/transposed.hpp"
#include "core/report/build_info.hpp"

namespace lufact {
namespace {

// The mode that `auto` stands for on this machine, with the reason.
struct AutoMode {
  std::string name;
  Choice choice;
};

AutoMode choose_mode(const Catalogue& catalogue, const RunConfig& config, const Machine& machine) {
  AutoMode result;
  result.choice.stage = "mode";
  for (const Mode& mode : catalogue.modes) {
    result.choice.candidates.push_back(mode.name);
    if (!result.name.empty()) continue;
    const Chain chain = resolve_chain(catalogue, select_stages(config, mode));
    Support support = chain.supported(machine, config.until);
    if (const auto* numeric = config.transpose ? find_without_transposed(chain) : nullptr) {
      support = {false, numeric->info().name + " solves no transposed systems"};
    }
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

std::string steps_of(const PipelineRecord& pipeline) {
  std::string text = pipeline.peer.value_or("");
  for (const auto& name : {pipeline.scaling, pipeline.ordering, pipeline.symbolic,
                           pipeline.levelize, pipeline.numeric, pipeline.solve}) {
    if (name) text += (text.empty() ? "" : " -> ") + *name;
  }
  return text;
}

// Numeric stages that put a whole refactorization on the device without waiting for it.
constexpr std::array<std::string_view, 1> one_wait_stages{"gpu-multifrontal"};

// Those to which the choices of a run may lead.
void collect_numeric(const Tail& tail, std::vector<const NumericStage*>& stages) {
  if (tail.tails.empty()) stages.push_back(tail.numeric);
  for (const Tail& next : tail.tails) collect_numeric(next, stages);
}

bool factors_on_device(const NumericStage& stage) {
  return stage.info().side == Side::device;
}

bool takes_one_wait(const NumericStage& stage) {
  return std::ranges::find(one_wait_stages, stage.info().name) != one_wait_stages.end();
}

// Throws UsageError where no way through the chain can refactor as the options say.
void check_refactoring(const Catalogue& catalogue, const RunConfig& config, const Chain& chain) {
  std::vector<const NumericStage*> open;
  collect_numeric(chain.tail, open);
  const auto require = [&](const std::string& option, bool (*able)(const NumericStage&)) {
    const auto is_able = [&](const NumericStage* stage) { return able(*stage); };
    if (std::ranges::any_of(open, is_able)) return;
    std::vector<std::string_view> names;
    for (const auto& stage : catalogue.numeric) {
      if (able(*stage)) names.push_back(stage->info().name);
    }
    throw UsageError(fmt::format("{}: --numeric {} cannot; accepted: {}", option,
                                 open.front()->info().name, fmt::join(names, ", ")));
  };
  if (config.refactoring.values == Side::device) require("--values device", factors_on_device);
  if (config.refactoring.phases != PhaseTiming::waits) {
    require(fmt::format("--phases {}", to_string(config.refactoring.phases)), takes_one_wait);
  }
}

// Throws UsageError where a way through the chain leads to factors that solve no such systems.
void check_transpose(const Catalogue& catalogue, const RunConfig& config, const Chain& chain) {
  const NumericStage* const without = config.transpose ? find_without_transposed(chain) : nullptr;
  if (without == nullptr) return;
  std::vector<std::string_view> names;
  for (const auto& stage : catalogue.numeric) {
    if (stage->info().solves_transposed) names.push_back(stage->info().name);
  }
  throw UsageError(fmt::format("--transpose: --numeric {} cannot; accepted: {}",
                               without->info().name, fmt::join(names, ", ")));
}

std::unique_ptr<SparsePlan> begin_plan(const RunConfig& config, const std::string& mode,
                                       const std::string& variant) {
  auto plan = std::make_unique<SparsePlan>();
  plan->config = config;
  plan->measuring = measuring_of(config);
  plan->measuring.refactor = config.refactor;
  plan->request = {{"config", to_json(config)}};
  RunRecord& record = plan->record;
  record.workload = "sparse";
  record.mode = mode;
  record.variant = variant;
  record.until = std::string(to_string(config.until));
  record.matrix.emplace();
  record.matrix->symmetry = config.given_read.symmetry;
  record.matrix->explicit_zeros = config.given_read.explicit_zeros;
  record.pipeline.emplace();
  record.factors.emplace();
  return plan;
}

// Throws UsageError where the stages take one system at a time.
void check_systems(const Catalogue& catalogue, const RunConfig& config, const Chain& chain) {
  if (!config.systems) return;
  const std::string& numeric = chain.tail.numeric->info().name;
  if (catalogue.find_systems(numeric) != nullptr) return;
  std::vector<std::string> able;
  for (const auto& stage : catalogue.systems) able.emplace_back(stage->numeric());
  throw UsageError(
      fmt::format("'{}' takes one system at a time, not --systems {}; --numeric values "
                  "that take several: {}",
                  numeric, *config.systems, fmt::join(able, ", ")));
}

// Where a mode cannot run here and its namesake of the CPU can: "; --mode fast-cpu can".
std::string mode_that_can(const Catalogue& catalogue, const RunConfig& config,
                          const std::string& mode, const Machine& machine) {
  const auto other = std::ranges::find(catalogue.modes, mode + "-cpu", &Mode::name);
  if (other == catalogue.modes.end()) return {};
  const Chain chain = resolve_chain(catalogue, select_stages(config, *other));
  if (!chain.supported(machine, config.until).ok) return {};
  return fmt::format("; --mode {} can", other->name);
}

std::unique_ptr<SparsePlan> plan_mode(const Catalogue& catalogue, const RunConfig& config,
                                      const std::string& asked, const Machine& machine) {
  std::vector<Choice> choices;
  std::string mode = asked;
  if (mode == "auto") {
    AutoMode chosen = choose_mode(catalogue, config, machine);
    mode = std::move(chosen.name);
    choices.push_back(std::move(chosen.choice));
  }
  auto plan = begin_plan(config, mode, mode);
  plan->chain = resolve_chain(catalogue, select_stages(config, catalogue.mode(mode)));
  check_gsofa_options(config.gsofa, catalogue, plan->chain);
  check_systems(catalogue, config, plan->chain);
  check_refactoring(catalogue, config, plan->chain);
  check_transpose(catalogue, config, plan->chain);
  plan->record.pipeline = plan->chain.record(config.until, config.precision);
  plan->record.pipeline->choices = std::move(choices);
  const Support support = plan->chain.supported(machine, config.until);
  if (!support.ok) {
    plan->unsupported = support.reason + mode_that_can(catalogue, config, mode, machine);
  }
  const std::string absent = find_absent_device(config.gsofa, machine);
  if (!absent.empty()) plan->unsupported = absent;
  if (config.gsofa.ranks) {
    plan->ranks = *config.gsofa.ranks;
    plan->launcher = config.gsofa.launcher_words();
    if (plan->unsupported.empty() && rank_program().empty()) {
      plan->unsupported = no_rank_program;
      plan->unsupported_code = "no_mpi";
    }
  }
  plan->counts_page_faults = config.count_page_faults && plan->chain.uses_device(config.until);
  plan->counts_device_memory = config.count_device_memory && plan->chain.uses_device(config.until);
  plan->counts_sources = config.record_profile && config.until >= Until::symbolic &&
                         catalogue.is_gsofa(plan->chain.tail.symbolic->info().name);
  plan->steps = steps_of(*plan->record.pipeline);
  plan->request["mode"] = mode;
  return plan;
}

std::unique_ptr<SparsePlan> plan_peer(const RunConfig& config, const std::string& peer) {
  auto plan = begin_plan(config, std::string(peer_mode), peer);
  plan->record.pipeline->peer = peer;
  plan->needs_folder = external_command(peer).has_value() || is_peer_program(peer);
  plan->counts_device_memory = config.count_device_memory && !plan->needs_folder;
  plan->steps = steps_of(*plan->record.pipeline);
  plan->request["peer"] = peer;
  return plan;
}

}  // namespace

VariantPlans plan_variants(const Catalogue& catalogue, const RunConfig& config,
                           const Machine& machine) {
  VariantPlans plans;
  std::vector<std::string> stages;
  for (const std::string& mode : config.modes) {
    if (config.peers_only()) break;
    auto plan = plan_mode(catalogue, config, mode, machine);
    stages.push_back(plan->chain.tail.symbolic->info().name);
    stages.push_back(plan->chain.tail.numeric->info().name);
    plans.push_back(std::move(plan));
  }
  check_stage_readers(config, stages);
  for (const std::string& peer : config.peers) plans.push_back(plan_peer(config, peer));
  return plans;
}

std::string run_id(const SparsePlan& plan, const std::string& matrix_sha256) {
  const PipelineRecord& pipeline = plan.record.pipeline.value();
  nlohmann::ordered_json identity;
  identity["matrix"] = matrix_sha256;
  identity["pipeline"] = {pipeline.scaling.value_or(""),    pipeline.ordering.value_or(""),
                          pipeline.symbolic.value_or(""),   pipeline.levelize.value_or(""),
                          pipeline.dependency.value_or(""), pipeline.numeric.value_or(""),
                          pipeline.solve.value_or(""),      pipeline.postorder.value_or(false)};
  if (pipeline.peer) identity["peer"] = *pipeline.peer;
  identity["options"] = identity_options(plan.config);
  identity["git_sha"] = build_info().git_sha;
  const std::string rates = load_rates().sha256();
  if (rates != shipped_rates().front().sha256()) identity["rates"] = rates;
  return sha256_of_text(identity.dump()).substr(0, 16);
}

}  // namespace lufact
