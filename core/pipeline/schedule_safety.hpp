// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/stage.hpp"

namespace lufact {

// The code of the warning and of the errors; a run that has this warning never ends as `ok`.
inline constexpr const char* unsafe_schedule_code = "unsafe_schedule";

// Every numeric stage calls this with the rule of its schedule and its own name. A schedule under
// `glu1` leaves out dependencies: throws Error{error, "unsafe_schedule"}, or, under
// options.force_unsafe, records a warning of that code.
void require_safe_schedule(DependencyRule rule, std::string_view stage, StageContext& context);

}  // namespace lufact
