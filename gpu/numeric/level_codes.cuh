// SPDX-License-Identifier: BSD-3-Clause
// Where a kernel writes the codes of level_codes.hpp.
#pragma once
#include "gpu/numeric/level_codes.hpp"

namespace lufact::gpu {

// One thread for each level; the code was 0.
__device__ inline void set_level_code(unsigned* codes, Index level, unsigned code) {
  atomicOr(codes + level / level_codes_per_word,
           code << (level_code_bits * (level % level_codes_per_word)));
}

}  // namespace lufact::gpu
