// SPDX-License-Identifier: BSD-3-Clause
#include "lufact/array_catalogue.hpp"

#include <utility>

#include "core/batch/cpu/cpu_batch.hpp"
#include "core/dense/cpu/cpu_dense.hpp"
#include "gpu/gpu.hpp"

namespace lufact {

std::vector<std::unique_ptr<ArrayStage>> make_array_stages() {
  std::vector<std::unique_ptr<ArrayStage>> stages;
  stages.push_back(make_cpu_batch());
  stages.push_back(make_cpu_dense());
  for (auto& stage : gpu::array_stages()) stages.push_back(std::move(stage));
  return stages;
}

}  // namespace lufact
