// SPDX-License-Identifier: BSD-3-Clause
// The factorization's kernel with a watch in every block.
#pragma once
#include "core/pipeline/front_tasks.hpp"
#include "core/pipeline/stage.hpp"
#include "gpu/fronts/numeric/block_work.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

inline constexpr int task_kinds = static_cast<int>(TaskKind::contribution) + 1;

// Of all blocks together, on their multiprocessors' clocks, and how many tasks there were: by the
// kind of the task, and what the blocks were doing. The blocks' lives end when no ticket is left.
struct BlockTimes {
  unsigned long long cycles[task_kinds][block_works], tasks[task_kinds];
  unsigned long long blocks, lives;
};

// Factorizations of these factors, of gpu-multifrontal in double precision, take that kernel from
// now on.
void watch(Factors& factors);

// What the kernels so far have added up, which begins anew.
BlockTimes take_block_times(DeviceSession& session);

}  // namespace lufact::gpu
