// SPDX-License-Identifier: BSD-3-Clause
// A variant of the batch workload as it is known before any matrix is made: kernels of ours or a
// foreign library, and whether this machine can run them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/array/array_stages.hpp"
#include "app/batch/batch_config.hpp"
#include "app/workload/input.hpp"
#include "app/workload/variant_plan.hpp"
#include "core/array/array_stage.hpp"
#include "core/base/machine.hpp"

namespace lufact {

struct BatchPlan final : VariantPlan {
  BatchConfig config;                 // of this variant alone
  const ArrayStage* stage = nullptr;  // null for a peer; one of those that it was planned with
};

// One plan for each variant of the configuration, then one for each peer. Throws UsageError for
// unknown names.
VariantPlans plan_batch_variants(const ArrayStages& stages, const BatchConfig& config,
                                 const Machine& machine);

// Throws UsageError with what is accepted where the variant does not take these matrices.
void check_batch(const BatchPlan& plan, const Input& input);

// The record of a run that has not begun.
RunRecord begin_batch_record(const BatchPlan& plan, const Input& input, const std::string& sha256);

}  // namespace lufact
