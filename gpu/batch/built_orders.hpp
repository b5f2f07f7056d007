// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/base/types.hpp"

namespace lufact::gpu {

// ArrayStageFacts::built_orders of a stage whose kernels have orders least to largest: those that
// LUFACT_BATCH_SIZES left in this build; empty where it left all of them.
std::vector<Index> built_batch_orders(Index least, Index largest);

}  // namespace lufact::gpu
