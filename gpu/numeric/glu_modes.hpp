// SPDX-License-Identifier: BSD-3-Clause
// GLU 3.0's three ways to give the columns of a level to the card. Host code without CUDA.
#pragma once
#include <vector>

#include "core/base/types.hpp"
#include "core/pipeline/options.hpp"

namespace lufact::gpu {

inline constexpr int most_block_warps = 32;
inline constexpr int fewest_block_warps = 2;

// small_block   a block of 2 to 16 warps per column, a warp per sub-column
// large_block   the same with 32 warps
// stream        a block of 32 warps per sub-column, a launch of its own for each step
struct LevelLaunch {
  GluMode mode = GluMode::large_block;
  int warps = most_block_warps;  // of a block
};

// The load of a level: the sub-columns that its columns update.
struct LevelLoad {
  bool heavy = false;  // of a column, heavy_passes for a warp of the largest block
  // Of a column, a heavy one where there are any: at most; a power of four, 0 from 4096 on.
  Offset sub_columns = 0;
};

std::vector<GluMode> modes_of(const std::vector<LevelLaunch>& launches);

struct LevelFacts {
  Offset width = 0;  // columns
  bool heavy = false;
};

// From this many passes on, more and larger blocks pay for two more launches: a warp that scans a
// sub-column waits about 0.3 us for every 32 entries, a launch costs 2 to 3 us.
inline constexpr Offset heavy_passes = 16;

// Facts of the card that the choice depends on.
struct LevelCard {
  Offset resident_warps = 0;    // of the whole card
  Offset parallel_columns = 0;  // work columns
};

// By default the resident warps are divided by the columns at work, the level's width or fewer
// where fewer work columns fit: the quotient, a power of two, is the warps of a block. Where it is
// far beyond the largest block, the few columns of the level get stream mode if one of them is
// heavy (GLU3: few columns go with many sub-columns). With options.glu_thresholds A,B,C the width
// alone decides, as in the public code: 2 warps above A columns, 4 above B, 32 above C, else
// stream. options.glu_mode names one mode for all levels.
LevelLaunch choose_level_launch(const LevelFacts& level, const LevelCard& card,
                                const StageOptions& options);

}  // namespace lufact::gpu
