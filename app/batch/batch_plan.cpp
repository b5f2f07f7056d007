// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch/batch_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "app/array/array_plan.hpp"
#include "app/batch/batch_source.hpp"
#include "app/config/measuring.hpp"
#include "app/config/peer_names.hpp"
#include "core/base/error.hpp"
#include "core/base/sha256.hpp"
#include "core/report/build_info.hpp"

namespace lufact {
namespace {

constexpr std::string_view batch_mode = "batch";
// What `auto` stands for, the first that can run.
constexpr std::array<std::string_view, 2> recommended{"fast", "cpu"};

BatchRecord begin_section(const BatchConfig& config) {
  BatchRecord batch;
  batch.operation = to_string(config.operation);
  batch.rhs = config.operation == ArrayOperation::solve ? config.rhs : 0;
  batch.layout = to_string(config.layout);
  batch.ld = config.ld;
  batch.in_place = config.works_in_place();
  batch.data = to_string(config.data);
  return batch;
}

std::unique_ptr<BatchPlan> begin_plan(const BatchConfig& config, std::string_view mode,
                                      const std::string& variant) {
  const bool solves = config.operation == ArrayOperation::solve;
  auto plan = std::make_unique<BatchPlan>();
  plan->config = config;
  plan->measuring = measuring_of(config);
  plan->request = {{"config", to_json(config)}};
  plan->serves_many_inputs = true;
  plan->steps = fmt::format("{} {}", variant, to_string(config.operation));
  RunRecord& record = plan->record;
  record.workload = "batch";
  record.mode = mode;
  record.variant = variant;
  record.until = solves ? "solve" : "numeric";
  PipelineRecord& pipeline = record.pipeline.emplace();
  pipeline.numeric = variant;
  if (solves) pipeline.solve = variant;
  pipeline.precision = to_string(config.precision);
  record.batch = begin_section(config);
  return plan;
}

std::unique_ptr<BatchPlan> plan_variant(const BatchConfig& config, AskedStage asked,
                                        const Machine& machine) {
  auto plan = begin_plan(config, batch_mode, asked.variant);
  plan->record.batch->built_orders = asked.stage.facts().built_orders;
  take_stage(*plan, std::move(asked), machine);
  return plan;
}

std::unique_ptr<BatchPlan> plan_peer(const BatchConfig& config, const std::string& peer) {
  auto plan = begin_plan(config, peer_mode, peer);
  plan->record.pipeline->peer = peer;
  plan->request["peer"] = peer;
  return plan;
}

// Those that kernels on a device read; what these refuse, they say themselves.
void refuse_kernel_options(const BatchConfig& config, const std::string& variant) {
  for (const auto& [option, given] :
       {std::pair{"--matrices-per-block", config.matrices_per_block.has_value()},
        std::pair{"--swap", config.swap.has_value()},
        std::pair{"--tuning", config.tuning_file.has_value()}}) {
    if (given) throw UsageError(fmt::format("{} has no use for {}; leave it out", variant, option));
  }
}

// Throws where --tune is given and the stage has nothing to choose.
void refuse_tuning_of(const ArrayStages& stages, const ArrayStage& asked) {
  if (asked.facts().chooses_by_measurements) return;
  std::vector<std::string> accepted;
  for (const auto& stage : stages) {
    if (stage->facts().chooses_by_measurements) accepted.push_back(stage->facts().name);
  }
  throw UsageError(fmt::format("{} does not take --tune; accepted: {}", asked.facts().name,
                               fmt::join(accepted, ", ")));
}

// Equal for equal measurements.
std::string batch_id(const BatchPlan& plan, const BatchInputRequest& request,
                     const std::string& sha256) {
  nlohmann::ordered_json identity;
  identity["matrices"] = {sha256, request.input, request.size.value_or(0), request.count,
                          request.seed};
  identity["variant"] = {plan.record.mode, plan.record.variant};
  identity["options"] = identity_options(plan.config);
  identity["git_sha"] = build_info().git_sha;
  return sha256_of_text(identity.dump()).substr(0, 16);
}

}  // namespace

VariantPlans plan_batch_variants(const ArrayStages& stages, const BatchConfig& config,
                                 const Machine& machine) {
  return plans_of(
      config,
      [&](const std::string& variant) {
        AskedStage asked = asked_stage(stages, variant, recommended, machine);
        if (config.tune) refuse_tuning_of(stages, asked.stage);
        return plan_variant(config, std::move(asked), machine);
      },
      [&](const std::string& peer) { return plan_peer(config, peer); });
}

void check_batch(const BatchPlan& plan, const Input& input) {
  const BatchInputRequest request = batch_request(plan.config, input);
  check_batch_request(request);
  if (plan.stage != nullptr && plan.stage->facts().side == Side::host) {
    refuse_kernel_options(plan.config, plan.record.variant);
  }
  if (!request.size) return;  // each order is met when the matrices are there
  const Index n = *request.size;
  if (plan.config.ld.value_or(n) < n) {
    throw UsageError(
        fmt::format("--ld {} is below the order {}; accepted: {} or more", *plan.config.ld, n, n));
  }
  ArrayProblem problem = array_problem(plan.config, n, request.count);
  const std::optional<ArrayStageFacts> facts =
      plan.stage != nullptr ? plan.stage->facts()
                            : array_peer_takes(plan.record.variant, plan.config.device);
  if (!facts) return;
  if (plan.stage == nullptr) problem.pivoting = preferred_pivoting(*facts);
  for (const std::string& reason :
       {unless_of_workload(*facts, "batch"), refusal(*facts, problem)}) {
    if (!reason.empty()) throw UsageError(reason);
  }
}

RunRecord begin_batch_record(const BatchPlan& plan, const Input& input, const std::string& sha256) {
  const BatchInputRequest request = batch_request(plan.config, input);
  RunRecord record = plan.record;
  record.id = batch_id(plan, request, sha256);
  record.input.name = input.name;
  if (!input.path.empty()) record.input.path = input.path;
  if (!sha256.empty()) record.input.sha256 = sha256;
  record.input.reading = batch_reading(plan.config, request);
  record.batch->generator = batch_generator_facts(request);
  record.batch->count = request.count;
  if (request.size) record.batch->sizes = {{*request.size, request.count}};
  return record;
}

}  // namespace lufact
