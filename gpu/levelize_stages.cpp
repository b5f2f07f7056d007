// SPDX-License-Identifier: BSD-3-Clause
// A file of its own, so that only programs that list these stages carry kernels that launch
// kernels: not every tool that checks a program can follow those.
#include "gpu/gpu.hpp"
#include "gpu/stages.hpp"

namespace lufact::gpu {

std::vector<std::unique_ptr<LevelizeStage>> levelize_stages() {
  std::vector<std::unique_ptr<LevelizeStage>> stages;
#define LUFACT_GPU_LEVELIZE(name) stages.push_back(make_##name##_levelize());
#include "gpu/stages.def"
  return stages;
}

}  // namespace lufact::gpu
