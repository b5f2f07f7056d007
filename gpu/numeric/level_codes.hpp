// SPDX-License-Identifier: BSD-3-Clause
// Codes of four bits that a kernel computes for each level, packed so that few control reads carry
// them to the host.
#pragma once
#include <vector>

#include "core/base/types.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

inline constexpr int level_code_bits = 4;
inline constexpr unsigned largest_level_code = (1U << level_code_bits) - 1;
inline constexpr Index level_codes_per_word = 32 / level_code_bits;

// One code for each of `levels` levels, all 0, padded to whole control reads.
Buffer<unsigned> make_level_codes(DeviceSession& session, Index levels);

// One control read for every 128 levels.
std::vector<unsigned> read_level_codes(DeviceSession& session, const Buffer<unsigned>& codes,
                                       Index levels);

}  // namespace lufact::gpu
