// SPDX-License-Identifier: BSD-3-Clause
#include "app/dense/dense_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "app/array/array_plan.hpp"
#include "app/config/measuring.hpp"
#include "app/config/peer_names.hpp"
#include "app/dense/dense_source.hpp"
#include "core/base/error.hpp"
#include "core/base/sha256.hpp"
#include "core/report/build_info.hpp"

namespace lufact {
namespace {

constexpr std::string_view dense_mode = "dense";
// What `auto` stands for, the first that can run.
constexpr std::array<std::string_view, 2> recommended{"fast", "cpu"};

std::string_view spelled_arithmetic(const DenseConfig& config) {
  const FactorArithmetic arithmetic = config.arithmetic();
  return arithmetic == FactorArithmetic::own ? to_string(config.result_precision())
                                             : to_string(arithmetic);
}

std::unique_ptr<DensePlan> begin_plan(const DenseConfig& config, std::string_view mode,
                                      const std::string& variant, ArrayPivoting pivoting) {
  auto plan = std::make_unique<DensePlan>();
  plan->config = config;
  plan->measuring = measuring_of(config);
  plan->request = {{"config", to_json(config)}};
  plan->serves_many_inputs = true;
  plan->steps = fmt::format("{} {}", variant, config.operation);
  RunRecord& record = plan->record;
  record.workload = "dense";
  record.mode = mode;
  record.variant = variant;
  record.until = config.solves() ? "solve" : "numeric";
  PipelineRecord& pipeline = record.pipeline.emplace();
  pipeline.numeric = variant;
  if (config.solves()) pipeline.solve = variant;
  pipeline.precision = to_string(config.result_precision());
  record.dense = begin_dense_section(config, pivoting, 0, 0);
  return plan;
}

std::unique_ptr<DensePlan> plan_variant(const DenseConfig& config, AskedStage asked,
                                        const Machine& machine) {
  auto plan =
      begin_plan(config, dense_mode, asked.variant, dense_pivoting(config, asked.stage.facts()));
  take_stage(*plan, std::move(asked), machine);
  return plan;
}

std::unique_ptr<DensePlan> plan_peer(const DenseConfig& config, const std::string& peer) {
  const auto facts = array_peer_takes(peer, config.device);
  auto plan = begin_plan(
      config, peer_mode, peer,
      facts ? dense_pivoting(config, *facts) : config.pivoting.value_or(ArrayPivoting::partial));
  plan->record.pipeline->peer = peer;
  plan->request["peer"] = peer;
  return plan;
}

// Equal for equal measurements.
std::string dense_id(const DensePlan& plan, const DenseInputRequest& request,
                     const std::string& sha256) {
  nlohmann::ordered_json identity;
  identity["matrix"] = {sha256, request.input, request.m, request.n, request.seed};
  identity["variant"] = {plan.record.mode, plan.record.variant};
  identity["options"] = identity_options(plan.config);
  identity["git_sha"] = build_info().git_sha;
  return sha256_of_text(identity.dump()).substr(0, 16);
}

}  // namespace

DenseRecord begin_dense_section(const DenseConfig& config, ArrayPivoting pivoting, Index m,
                                Index n) {
  DenseRecord dense;
  dense.operation = config.operation;
  dense.m = m;
  dense.n = n;
  dense.rhs = config.solves() ? config.rhs : 0;
  dense.pivoting = to_string(pivoting);
  dense.data = to_string(config.data);
  dense.arithmetic = spelled_arithmetic(config);
  return dense;
}

VariantPlans plan_dense_variants(const ArrayStages& stages, const DenseConfig& config,
                                 const Machine& machine) {
  return plans_of(
      config,
      [&](const std::string& variant) {
        return plan_variant(config, asked_stage(stages, variant, recommended, machine), machine);
      },
      [&](const std::string& peer) { return plan_peer(config, peer); });
}

bool works_without_pivoting(const ArrayStages& stages, const DenseConfig& config) {
  const auto without = [&](const ArrayStageFacts& facts) {
    return dense_pivoting(config, facts) == ArrayPivoting::none;
  };
  if (config.pivoting) return *config.pivoting == ArrayPivoting::none;
  for (const std::string& variant : config.variants) {
    if (config.peers_only() || variant == "auto") continue;
    if (without(array_stage(stages, variant).facts())) return true;
  }
  return std::ranges::any_of(config.peers, [&](const std::string& peer) {
    const auto facts = array_peer_takes(peer, config.device);
    return facts && without(*facts);
  });
}

ArrayPivoting dense_pivoting(const DenseConfig& config, const ArrayStageFacts& facts) {
  return config.pivoting.value_or(preferred_pivoting(facts));
}

std::string dense_refusal(const DenseConfig& config, const ArrayStageFacts& facts, Index m,
                          Index n) {
  if (std::string reason = unless_of_workload(facts, "dense"); !reason.empty()) return reason;
  return refusal(facts, array_problem(config, m, n, dense_pivoting(config, facts)));
}

void check_dense(const DensePlan& plan, const Input& input) {
  const DenseInputRequest request = dense_request(plan.config, input);
  check_dense_request(request);
  if (plan.config.solves() && request.m != request.n) {
    throw UsageError(fmt::format("--operation solve: {} of {} x {} is not square", request.input,
                                 request.m, request.n));
  }
  if (request.n == 0) return;  // a file's sizes are met when it has been read
  const std::optional<ArrayStageFacts> facts =
      plan.stage != nullptr ? plan.stage->facts()
                            : array_peer_takes(plan.record.variant, plan.config.device);
  if (!facts) return;
  std::string reason = dense_refusal(plan.config, *facts, request.m, request.n);
  if (reason.empty() && plan.stage != nullptr) {
    reason = settings_refusal(facts->name, facts->dense, plan.config.settings,
                              std::min(request.m, request.n));
  }
  if (!reason.empty()) throw UsageError(reason);
}

RunRecord begin_dense_record(const DensePlan& plan, const Input& input, const std::string& sha256) {
  const DenseInputRequest request = dense_request(plan.config, input);
  RunRecord record = plan.record;
  record.id = dense_id(plan, request, sha256);
  record.input.name = input.name;
  if (!input.path.empty()) record.input.path = input.path;
  if (!sha256.empty()) record.input.sha256 = sha256;
  record.input.reading = dense_reading(plan.config, request.m, request.n);
  record.dense->generator = dense_generator_facts(request);
  record.dense->m = request.m;
  record.dense->n = request.n;
  return record;
}

}  // namespace lufact
