// SPDX-License-Identifier: BSD-3-Clause
// Writing the codes of level_codes.hpp in a kernel.
#pragma once
#include "gpu/numeric/level_codes.hpp"

namespace lufact::gpu {

// Called by one thread for each level, once: the code must be 0 before.
__device__ inline void set_level_code(unsigned* codes, Index level, unsigned code) {
  atomicOr(codes + level / level_codes_per_word,
           code << (level_code_bits * (level % level_codes_per_word)));
}

}  // namespace lufact::gpu
