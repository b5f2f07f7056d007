// SPDX-License-Identifier: BSD-3-Clause
// BatchKernelArguments::flags of the paper's kernels.
#pragma once
#include <cstdint>

namespace lufact::gpu::paper {

// An array is a contiguous one with ld = n, whatever `layout` and `ld` say: the factors between the
// launches of inverse-kernels.
inline constexpr std::int32_t packed_a = 1, packed_result = 2;

}  // namespace lufact::gpu::paper
