// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/record.hpp"

namespace lufact {

// Fills SystemsRecord::systems_per_s from the samples of a run of many systems that has some; other
// records stay as they are.
void set_systems_rate(RunRecord& run);

}  // namespace lufact
