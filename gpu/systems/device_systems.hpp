// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/systems.hpp"

namespace lufact::gpu {

// Beside `gpu-multifrontal`: the tasks of its plan taken once for every system, in one launch for
// the factorization and one for each solve. As many systems at a time as the budget of the device
// holds the factors of. Float and double, with and without exchanged rows.
std::unique_ptr<SystemsStage> make_device_systems();

}  // namespace lufact::gpu
