// SPDX-License-Identifier: BSD-3-Clause
// The differences between the stages of E2E's symbolic family: the division of rows into chunks,
// the memory of the work arrays, and the threads of a row. Passes are the same. Without CUDA.
#pragma once
#include "core/pipeline/stage.hpp"
#include "gpu/runtime/memory.hpp"

namespace lufact::gpu {

// A stage of the family is a row of this kind.
struct OocVariant {
  const char *name, *description;  // as in StageInfo
  // True: Algorithm 4, where three chunks do not hold all rows: parts with their own queue
  // capacities, from the frontiers of probed rows; the second pass is planned from the frontiers
  // that the first has measured. False: Algorithm 3, queues that no row can pass.
  bool split_by_frontier = false;
  bool thread_for_each_row = false;  // else a block; a queue that no row can pass
  bool all_rows_at_once = false;     // whatever memory they take; else as many as fit
  // One allocation for both passes over all rows as one part. Otherwise the arrays of the first
  // pass are freed before the pattern is allocated, which may need their room.
  bool keep_arrays = false;
  MemoryKind memory = MemoryKind::device;
  bool prefetch = false;  // managed pages go to the device before a chunk, not as they are touched
};

inline constexpr OocVariant ooc_variant{
    .name = "gpu-ooc",
    .description =
        "E2E Algorithms 1, 3 and 4: fill2 search per source row, two passes, chunks sized by part",
    .split_by_frontier = true};
inline constexpr OocVariant ooc_naive_variant{
    .name = "gpu-ooc-naive",
    .description = "E2E Algorithm 3: fill2 search per source row, two passes, one chunk size"};
inline constexpr OocVariant um_variant{
    .name = "gpu-um",
    .description =
        "E2E section 4.3: the same search with its work arrays in managed memory, pages on demand",
    .keep_arrays = true,
    .memory = MemoryKind::managed};
inline constexpr OocVariant um_prefetch_variant{
    .name = "gpu-um-prefetch",
    .description = "as gpu-um, each chunk's pages prefetched to the device before use",
    .keep_arrays = true,
    .memory = MemoryKind::managed,
    .prefetch = true};
inline constexpr OocVariant in_core_variant{
    .name = "gpu-in-core",
    .description = "the same search with work arrays for all rows at once, for reference",
    .all_rows_at_once = true,
    .keep_arrays = true};

inline constexpr OocVariant fill2_plain_variant{
    .name = "gpu-fill2-plain",
    .description =
        "fill2 with a thread for each source row (GSoFa Fig. 3(b)), as many rows as "
        "memory allows: a baseline",
    .thread_for_each_row = true};

// For a matrix of n rows.
WorkBytes work_bytes(const OocVariant& variant, Index n);

}  // namespace lufact::gpu
