// SPDX-License-Identifier: BSD-3-Clause
// The stages of a build with CUDA, but for those of levelization (levelize_stages.cpp).
#include "gpu/gpu.hpp"
#include "gpu/stages.hpp"

namespace lufact::gpu {

std::vector<std::unique_ptr<ScalingStage>> scaling_stages() {
  std::vector<std::unique_ptr<ScalingStage>> stages;
#define LUFACT_GPU_SCALING(name) stages.push_back(make_##name##_scaling());
#include "gpu/stages.def"
  return stages;
}

std::vector<std::unique_ptr<OrderingStage>> ordering_stages() {
  std::vector<std::unique_ptr<OrderingStage>> stages;
#define LUFACT_GPU_ORDERING(name) stages.push_back(make_##name##_ordering());
#include "gpu/stages.def"
  return stages;
}

std::vector<std::unique_ptr<SymbolicStage>> symbolic_stages() {
  std::vector<std::unique_ptr<SymbolicStage>> stages;
#define LUFACT_GPU_SYMBOLIC(name) stages.push_back(make_##name##_symbolic());
#include "gpu/stages.def"
  return stages;
}

std::vector<std::unique_ptr<ArrayStage>> array_stages() {
  std::vector<std::unique_ptr<ArrayStage>> stages;
#define LUFACT_GPU_ARRAY(name) stages.push_back(make_##name##_array());
#include "gpu/stages.def"
  return stages;
}

std::vector<std::unique_ptr<NumericStage>> numeric_stages() {
  std::vector<std::unique_ptr<NumericStage>> stages;
#define LUFACT_GPU_NUMERIC(name) stages.push_back(make_##name##_numeric());
#include "gpu/stages.def"
  return stages;
}

}  // namespace lufact::gpu
