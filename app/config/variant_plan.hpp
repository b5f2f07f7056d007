// SPDX-License-Identifier: BSD-3-Clause
// A variant as it is known before any matrix is read: its own configuration, the stages that it
// stands for, and whether this machine can run them.
#pragma once
#include <string>
#include <vector>

#include "app/config/run_config.hpp"
#include "core/base/machine.hpp"
#include "core/pipeline/catalogue.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

struct VariantPlan {
  RunConfig config;  // of this variant alone
  std::string mode;  // never `auto`: what it stood for
  Chain chain;       // empty for a peer; points into the catalogue that it was planned with
  PipelineRecord pipeline;
  Support support;
};

// Throws UsageError for unknown names and chains that do not fit.
VariantPlan plan_variant(const Catalogue& catalogue, const RunConfig& config,
                         const std::string& mode, const Machine& machine);

// A foreign solver says itself, when its worker opens it, whether it can run here.
VariantPlan plan_peer(const RunConfig& config, const std::string& peer);

// One plan for each mode of the configuration, then one for each peer.
std::vector<VariantPlan> plan_variants(const Catalogue& catalogue, const RunConfig& config,
                                       const Machine& machine);

// The mode that `auto` stands for on this machine, with the reason.
struct AutoMode {
  std::string name;
  Choice choice;
};
AutoMode choose_mode(const Catalogue& catalogue, const RunConfig& config, const Machine& machine);

// Hash of matrix, resolved pipeline, options and commit: equal for equal measurements.
std::string run_id(const VariantPlan& plan, const std::string& matrix_sha256);

// The record of a run that has not begun: id, mode, until, pipeline and the matrix as far as known.
RunRecord begin_record(const VariantPlan& plan, const std::string& matrix_path,
                       const std::string& matrix_sha256);

}  // namespace lufact
