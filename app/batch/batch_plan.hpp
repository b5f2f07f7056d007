// SPDX-License-Identifier: BSD-3-Clause
// A variant of the batch workload as it is known before any matrix is made: kernels of ours or a
// foreign library, and whether this machine can run them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/batch/batch_config.hpp"
#include "app/workload/input.hpp"
#include "app/workload/variant_plan.hpp"
#include "core/array/array_stage.hpp"
#include "core/base/machine.hpp"

namespace lufact {

using ArrayStages = std::vector<std::unique_ptr<ArrayStage>>;

struct BatchPlan final : VariantPlan {
  BatchConfig config;                 // of this variant alone
  const ArrayStage* stage = nullptr;  // null for a peer; one of those that it was planned with
};

// The stages of `lufact batch`.
ArrayStages batch_stages();

// `auto` and `none` beside the names of stages, as --variant takes them.
std::vector<std::string> batch_variant_names(const ArrayStages& stages);

// Throws UsageError naming what is accepted.
const ArrayStage& batch_stage(const ArrayStages& stages, const std::string& name);

// One plan for each variant of the configuration, then one for each peer. Throws UsageError for
// unknown names.
VariantPlans plan_batch_variants(const ArrayStages& stages, const BatchConfig& config,
                                 const Machine& machine);

// Throws UsageError with what is accepted where the variant does not take these matrices.
void check_batch(const BatchPlan& plan, const Input& input);

// A library that cannot exchange rows is given problems without.
void take_pivoting(const ArrayStageFacts& facts, ArrayProblem& problem);

// The record of a run that has not begun.
RunRecord begin_batch_record(const BatchPlan& plan, const Input& input, const std::string& sha256);

}  // namespace lufact
