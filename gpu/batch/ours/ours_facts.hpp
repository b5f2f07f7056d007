// SPDX-License-Identifier: BSD-3-Clause
// Our kernels as stages: `thread` and `rows` (lu), `inverse-thread` and `inverse-rows`, `solve`,
// and `fast`, which takes every operation and chooses among all of them. With CUDA there is
// make_NAME_array(), too.
#pragma once
#include <memory>

#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

#define LUFACT_OURS_STAGE(name)                \
  const ArrayStageFacts& name##_array_facts(); \
  std::unique_ptr<ArrayStage> make_##name##_array();
LUFACT_OURS_STAGE(thread)
LUFACT_OURS_STAGE(rows)
LUFACT_OURS_STAGE(inverse_thread)
LUFACT_OURS_STAGE(inverse_rows)
LUFACT_OURS_STAGE(solve)
LUFACT_OURS_STAGE(fast)
#undef LUFACT_OURS_STAGE

}  // namespace lufact::gpu
