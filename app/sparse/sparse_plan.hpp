// SPDX-License-Identifier: BSD-3-Clause
// A variant of the sparse workload as it is known before any matrix is read: its own configuration,
// the stages that it stands for, and whether this machine can run them.
#pragma once
#include <memory>
#include <string>

#include "app/config/run_config.hpp"
#include "app/workload/variant_plan.hpp"
#include "core/base/machine.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact {

struct SparsePlan final : VariantPlan {
  RunConfig config;  // of this variant alone
  Chain chain;       // empty for a peer; points into the catalogue that it was planned with
};

// One plan for each mode of the configuration, then one for each peer: a foreign solver says
// itself, when its worker opens it, whether it can run here. Throws UsageError for unknown names
// and chains that do not fit.
VariantPlans plan_variants(const Catalogue& catalogue, const RunConfig& config,
                           const Machine& machine);

// Hash of matrix, resolved pipeline, options and commit: equal for equal measurements.
std::string run_id(const SparsePlan& plan, const std::string& matrix_sha256);

}  // namespace lufact
