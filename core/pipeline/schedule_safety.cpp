// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/schedule_safety.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace lufact {

void require_safe_schedule(DependencyRule rule, std::string_view stage, StageContext& context) {
  if (rule != DependencyRule::glu1) return;
  if (!context.options.force_unsafe) {
    throw Error(Outcome::error, unsafe_schedule_code,
                fmt::format("{} takes no schedule under the rule glu1, which leaves out "
                            "dependencies between the columns of a level; use --dependency exact "
                            "or relaxed, or, to study what goes wrong, --force-unsafe",
                            stage));
  }
  context.notes.warnings.push_back(
      {unsafe_schedule_code,
       "the factors come from a schedule under the rule glu1, which leaves out dependencies: they "
       "may be wrong, and differently so in every run"});
}

}  // namespace lufact
