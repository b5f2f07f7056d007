// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <vector>

#include "core/pipeline/stage.hpp"

namespace lufact {

// `none` (identity, scales 1) and `mc64`.
std::vector<std::unique_ptr<ScalingStage>> scaling_stages();

}  // namespace lufact
