// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/levelize/test/engines_under_test.hpp"
#include "gpu/stages.hpp"

namespace lufact::gpu::testing_support {

std::vector<std::unique_ptr<LevelizeStage>> engines_under_test() {
  std::vector<std::unique_ptr<LevelizeStage>> engines;
#define LUFACT_GPU_LEVELIZE_BY_DEVICE(name) engines.push_back(make_##name##_levelize());
#include "gpu/stages.def"
  return engines;
}

}  // namespace lufact::gpu::testing_support
