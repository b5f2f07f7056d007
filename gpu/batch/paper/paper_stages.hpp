// SPDX-License-Identifier: BSD-3-Clause
// The steps of BATCH as stages, in the order of the paper; paper_steps.hpp says what each one is.
// All of them compute the same bits (elimination.hpp). With CUDA there is make_NAME_array(), too.
#pragma once
#include <memory>

#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

#define LUFACT_PAPER_STAGE(name)               \
  const ArrayStageFacts& name##_array_facts(); \
  std::unique_ptr<ArrayStage> make_##name##_array();
LUFACT_PAPER_STAGE(shared_2d)
LUFACT_PAPER_STAGE(shared_1d)
LUFACT_PAPER_STAGE(registers)
LUFACT_PAPER_STAGE(registers_tuned)
LUFACT_PAPER_STAGE(registers_lazy)
LUFACT_PAPER_STAGE(inverse_kernels)
LUFACT_PAPER_STAGE(inverse_augmented)
LUFACT_PAPER_STAGE(inverse_fused)
#undef LUFACT_PAPER_STAGE

}  // namespace lufact::gpu
