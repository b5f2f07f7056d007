// SPDX-License-Identifier: BSD-3-Clause
// What the plans of the workloads on dense matrices have in common: a Plan has config, stage and
// the members of VariantPlan.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/array/array_stages.hpp"
#include "app/workload/variant_plan.hpp"
#include "core/base/machine.hpp"

namespace lufact {

// The stage that --variant names, and for `auto` how it was chosen.
struct AskedStage {
  const ArrayStage& stage;
  std::string variant;
  std::vector<Choice> choices;
};

// `recommended`: what `auto` stands for, the first that can run. Throws UsageError for unknown
// names, and where none can.
AskedStage asked_stage(const ArrayStages& stages, const std::string& asked,
                       std::span<const std::string_view> recommended, const Machine& machine);

// Tells a plan of asked.variant that this stage does the work.
template <class Plan>
void take_stage(Plan& plan, AskedStage asked, const Machine& machine) {
  plan.stage = &asked.stage;
  plan.record.pipeline->choices = std::move(asked.choices);
  const Support support = asked.stage.supported(machine);
  if (!support.ok) plan.unsupported = support.reason;
  plan.request["variant"] = asked.variant;
}

// One plan for each variant of the configuration, then one for each peer.
template <class Config, class PlanVariant, class PlanPeer>
VariantPlans plans_of(const Config& config, const PlanVariant& plan_variant,
                      const PlanPeer& plan_peer) {
  VariantPlans plans;
  if (!config.peers_only()) {
    for (const std::string& variant : config.variants) plans.push_back(plan_variant(variant));
  }
  for (const std::string& peer : config.peers) plans.push_back(plan_peer(peer));
  return plans;
}

}  // namespace lufact
