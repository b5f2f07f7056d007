// SPDX-License-Identifier: BSD-3-Clause
// The functions that the lines of gpu/stages.def stand for. make_...() are there with CUDA alone.
#pragma once
#include <memory>

#include "gpu/facts/scaling_facts.hpp"

namespace lufact::gpu {

#define LUFACT_GPU_SCALING(name)              \
  const ScalingFacts& name##_scaling_facts(); \
  std::unique_ptr<ScalingStage> make_##name##_scaling();
#define LUFACT_GPU_ORDERING(name)               \
  const OrderingFacts& name##_ordering_facts(); \
  std::unique_ptr<OrderingStage> make_##name##_ordering();
#define LUFACT_GPU_SYMBOLIC(name)               \
  const SymbolicFacts& name##_symbolic_facts(); \
  std::unique_ptr<SymbolicStage> make_##name##_symbolic();
#define LUFACT_GPU_LEVELIZE(name)               \
  const LevelizeFacts& name##_levelize_facts(); \
  std::unique_ptr<LevelizeStage> make_##name##_levelize();
#define LUFACT_GPU_NUMERIC(name)              \
  const NumericFacts& name##_numeric_facts(); \
  std::unique_ptr<NumericStage> make_##name##_numeric();
#define LUFACT_GPU_ARRAY(name)                 \
  const ArrayStageFacts& name##_array_facts(); \
  std::unique_ptr<ArrayStage> make_##name##_array();
#include "gpu/stages.def"

}  // namespace lufact::gpu
