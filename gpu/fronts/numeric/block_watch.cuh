// SPDX-License-Identifier: BSD-3-Clause
// What the blocks of a factorization tell a watch about, so that a benchmark can say where their
// time goes. Kernels of stages have NoWatch, of which nothing is left in their machine code.
#pragma once
#include "core/pipeline/front_tasks.hpp"
#include "gpu/fronts/numeric/block_work.hpp"

namespace lufact::gpu {

// Called by all threads of a block.
struct NoWatch {
  __device__ void begin(TaskKind /*kind*/) const {}
  __device__ void done(BlockWork /*work*/) const {}
};

}  // namespace lufact::gpu
