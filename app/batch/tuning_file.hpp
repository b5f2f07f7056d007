// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "core/array/array_problem.hpp"
#include "core/pipeline/stage.hpp"
#include "gpu/batch/tuning.hpp"

namespace lufact {

// Puts what was measured on the device called `device` into the file, in place of what is there of
// the same problems and kernels; a file of another device or commit begins anew. Throws
// Error{error, "bad_tuning"} for a file that is something else, {error, "cannot_write"}.
void add_to_tuning_file(const std::string& path, const std::string& device,
                        const std::vector<TunedCandidate>& measured);

}  // namespace lufact
