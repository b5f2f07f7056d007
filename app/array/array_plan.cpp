// SPDX-License-Identifier: BSD-3-Clause
#include "app/array/array_plan.hpp"

namespace lufact {

AskedStage asked_stage(const ArrayStages& stages, const std::string& asked,
                       std::span<const std::string_view> recommended, const Machine& machine) {
  if (asked != "auto") return {array_stage(stages, asked), asked, {}};
  Choice choice = choose_array_variant(stages, recommended, machine);
  const std::string variant = choice.chosen;
  return {array_stage(stages, variant), variant, {std::move(choice)}};
}

}  // namespace lufact
