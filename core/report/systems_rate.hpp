// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/pipeline/record.hpp"

namespace lufact {

// Seconds of factorization and solution, of refactorizations, or of repetitions where there are
// none: one number a sample.
std::vector<double> factor_and_solve_seconds(const RunRecord& run);

// Fills SystemsRecord::systems_per_s from the samples of a run of many systems that has some; other
// records stay as they are.
void set_systems_rate(RunRecord& run);

}  // namespace lufact
