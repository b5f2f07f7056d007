// SPDX-License-Identifier: BSD-3-Clause
#include "app/array/array_stages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/config/typed_values.hpp"
#include "core/base/error.hpp"
#include "lufact/array_catalogue.hpp"

namespace lufact {
namespace {

const ArrayStage* find_stage(const ArrayStages& stages, std::string_view name) {
  const auto named = [name](const auto& stage) { return stage->facts().name == name; };
  const auto found = std::ranges::find_if(stages, named);
  return found == stages.end() ? nullptr : found->get();
}

}  // namespace

ArrayStages array_stages_of(std::string_view workload) {
  ArrayStages stages = make_array_stages();
  std::erase_if(stages, [&](const auto& stage) { return stage->facts().workload != workload; });
  return stages;
}

std::vector<std::string> array_variant_names(const ArrayStages& stages) {
  std::vector<std::string> names{"auto"};
  for (const auto& stage : stages) names.push_back(stage->facts().name);
  names.emplace_back("none");
  return names;
}

const ArrayStage& array_stage(const ArrayStages& stages, const std::string& name) {
  if (const ArrayStage* stage = find_stage(stages, name)) return *stage;
  require_known("--variant", name, array_variant_names(stages));
  throw UsageError("--variant " + name + " stands for variants, and is none");
}

std::string unless_of_workload(const ArrayStageFacts& facts, std::string_view workload) {
  if (facts.workload.empty() || facts.workload == workload) return "";
  return fmt::format("{} is for lufact {}", facts.name, facts.workload);
}

Choice choose_array_variant(const ArrayStages& stages,
                            std::span<const std::string_view> recommended, const Machine& machine) {
  Choice choice;
  choice.stage = "variant";
  for (const std::string_view name : recommended) {
    const ArrayStage* stage = find_stage(stages, name);
    choice.candidates.emplace_back(name);
    if (!choice.chosen.empty()) continue;
    const Support support = stage != nullptr ? stage->supported(machine)
                                             : Support{false, "this lufact was built without it"};
    if (support.ok) {
      choice.chosen = name;
      choice.reason += "the first that this machine can run";
    } else {
      choice.reason += fmt::format("not {}: {}; ", name, support.reason);
    }
  }
  if (choice.chosen.empty()) throw UsageError("no variant can run here: " + choice.reason);
  return choice;
}

}  // namespace lufact
