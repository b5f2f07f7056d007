// SPDX-License-Identifier: BSD-3-Clause
// A variant of the dense workload as it is known before any matrix is made: kernels of ours or a
// foreign library, and whether this machine can run them.
#pragma once
#include <string>

#include "app/array/array_stages.hpp"
#include "app/dense/dense_config.hpp"
#include "app/workload/input.hpp"
#include "app/workload/variant_plan.hpp"
#include "core/base/machine.hpp"

namespace lufact {

struct DensePlan final : VariantPlan {
  DenseConfig config;                 // of this variant alone
  const ArrayStage* stage = nullptr;  // null for a peer; one of those that it was planned with
};

// One plan for each variant of the configuration, then one for each peer. Throws UsageError for
// unknown names.
VariantPlans plan_dense_variants(const ArrayStages& stages, const DenseConfig& config,
                                 const Machine& machine);

// Whether any variant would work without pivoting.
bool works_without_pivoting(const ArrayStages& stages, const DenseConfig& config);

// What is asked for, or the first that the variant takes.
ArrayPivoting dense_pivoting(const DenseConfig& config, const ArrayStageFacts& facts);

// Why a variant does not take a matrix of m x n; empty: it does.
std::string dense_refusal(const DenseConfig& config, const ArrayStageFacts& facts, Index m,
                          Index n);

// Throws UsageError with what is accepted where the variant does not take this matrix.
void check_dense(const DensePlan& plan, const Input& input);

// The record of a run that has not begun.
RunRecord begin_dense_record(const DensePlan& plan, const Input& input, const std::string& sha256);

// What is known of the section from the configuration and the sizes alone.
DenseRecord begin_dense_section(const DenseConfig& config, ArrayPivoting pivoting, Index m,
                                Index n);

}  // namespace lufact
