// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <vector>

#include "core/pipeline/stage.hpp"
#include "gpu/gpu.hpp"

namespace lufact::gpu::testing_support {

// The symbolic stages of the device that give the pattern of L + U.
inline std::vector<std::unique_ptr<SymbolicStage>> column_symbolic_stages() {
  auto stages = symbolic_stages();
  std::erase_if(stages, [](const auto& stage) {
    return !(stage->info().gives == product_types::column_pattern);
  });
  return stages;
}

}  // namespace lufact::gpu::testing_support
