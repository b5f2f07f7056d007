// SPDX-License-Identifier: BSD-3-Clause
// The stages of a workload on dense matrices by name, and how --variant auto chooses among them.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/array/array_stage.hpp"
#include "core/base/machine.hpp"

namespace lufact {

using ArrayStages = std::vector<std::unique_ptr<ArrayStage>>;

// Of the workload "batch" or "dense".
ArrayStages array_stages_of(std::string_view workload);

// `auto` and `none` beside the names of stages, as --variant takes them.
std::vector<std::string> array_variant_names(const ArrayStages& stages);

// Throws UsageError naming what is accepted.
const ArrayStage& array_stage(const ArrayStages& stages, const std::string& name);

// Why a stage or a library is not for a workload; empty: it is.
std::string unless_of_workload(const ArrayStageFacts& facts, std::string_view workload);

// The first of `recommended` that this machine can run. Throws UsageError where there is none.
Choice choose_array_variant(const ArrayStages& stages,
                            std::span<const std::string_view> recommended, const Machine& machine);

}  // namespace lufact
