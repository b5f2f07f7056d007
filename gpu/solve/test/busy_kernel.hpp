// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cuda_runtime_api.h>

namespace lufact::gpu::testing_support {

// Occupies `blocks` blocks of a whole multiprocessor's threads for about `cycles` clock cycles.
void launch_busy(cudaStream_t stream, int blocks, long long cycles);

}  // namespace lufact::gpu::testing_support
