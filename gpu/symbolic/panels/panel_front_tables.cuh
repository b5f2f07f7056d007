// SPDX-License-Identifier: BSD-3-Clause
// Union of the sets that belong to the bits of a word, looked up four bits at a time.
#pragma once
#include "gpu/forest/panel_bits.cuh"

namespace lufact::gpu {

// In shared memory.
struct UnionTable {
  static constexpr int part_bits = 4, parts = panel_width / part_bits;

  Word unions[parts << part_bits];

  // By all lanes of a warp; `set` belongs to bit `lane`. Other lanes see the table after a barrier.
  __device__ void fill(Word set, int lane) {
    for (int k = lane; k < parts << part_bits; k += warp_size) {
      Word united = 0;
#pragma unroll
      for (int b = 0; b < part_bits; ++b) {
        const Word part = __shfl_sync(full_warp, set, (k >> part_bits) * part_bits + b);
        united |= (k >> b & 1) != 0 ? part : 0;
      }
      unions[k] = united;
    }
  }

  __device__ Word unite(Word word) const {
    if (word == 0) return 0;
    constexpr Word part_mask = bits_below(part_bits);
    Word united = 0;
#pragma unroll
    for (int k = 0; k < parts; ++k) {
      united |= unions[(k << part_bits) + (word >> (k * part_bits) & part_mask)];
    }
    return united;
  }
};

}  // namespace lufact::gpu
