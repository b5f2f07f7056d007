// SPDX-License-Identifier: BSD-3-Clause
// The number of columns eliminated at the same time, and when dense work columns allow too few (E2E
// section 3.4). Host code without CUDA.
#pragma once
#include <cstdint>
#include <optional>

#include "core/base/types.hpp"
#include "core/pipeline/options.hpp"

namespace lufact::gpu {

// M = L / (n sizeof(value)): dense work columns of n values that fit into L bytes.
Offset fitting_columns(std::uint64_t free_bytes, Index n, Precision precision);

// E2E's TB_max: blocks of 1024 threads that the card holds, 160 on a V100 of 80 multiprocessors.
Offset max_parallel_blocks(Offset resident_warps);

// E2E's rule for sorted columns: n > L / (TB_max sizeof(value)).
bool wants_sorted_columns(std::uint64_t free_bytes, Index n, Precision precision,
                          Offset max_blocks);

struct WorkColumnDemand {
  std::uint64_t free_bytes = 0;  // L
  Index n = 0;
  Precision precision = Precision::float64;
  Offset useful = 0;               // any more would lie idle
  std::optional<Offset> required;  // --parallel-columns
};

// Work columns to allocate: as many as fit, at most the useful ones. Throws Error{oom_device,
// "device_budget"} where not one fits, or fewer than required.
Offset plan_work_columns(const WorkColumnDemand& demand);

}  // namespace lufact::gpu
