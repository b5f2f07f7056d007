// SPDX-License-Identifier: BSD-3-Clause
// The engines that a test program holds. Those whose kernels launch kernels have a program of their
// own, since compute-sanitizer's initcheck cannot follow what such kernels write.
#pragma once
#include <memory>
#include <vector>

#include "core/pipeline/stage.hpp"

namespace lufact::gpu::testing_support {

std::vector<std::unique_ptr<LevelizeStage>> engines_under_test();

}  // namespace lufact::gpu::testing_support
