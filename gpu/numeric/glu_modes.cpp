// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/numeric/glu_modes.hpp"

#include <algorithm>
#include <bit>

namespace lufact::gpu {
namespace {

// The published threshold of 16 columns on a card of 1792 resident warps leaves 112 to a column,
// 3.5 of the largest blocks.
constexpr Offset stream_share = 112;

LevelLaunch with_warps(Offset share) {
  const auto bounded =
      static_cast<unsigned>(std::clamp<Offset>(share, fewest_block_warps, most_block_warps));
  const int warps = static_cast<int>(std::bit_floor(bounded));
  return {warps == most_block_warps ? GluMode::large_block : GluMode::small_block, warps};
}

LevelLaunch by_thresholds(Offset width, const std::array<int, 3>& thresholds) {
  if (width > thresholds[0]) return {GluMode::small_block, 2};
  if (width > thresholds[1]) return {GluMode::small_block, 4};
  if (width > thresholds[2]) return {GluMode::large_block, most_block_warps};
  return {GluMode::stream, most_block_warps};
}

}  // namespace

std::vector<GluMode> modes_of(const std::vector<LevelLaunch>& launches) {
  std::vector<GluMode> modes;
  modes.reserve(launches.size());
  for (const LevelLaunch& launch : launches) modes.push_back(launch.mode);
  return modes;
}

LevelLaunch choose_level_launch(const LevelFacts& level, const LevelCard& card,
                                const StageOptions& options) {
  const Offset columns =
      std::clamp<Offset>(level.width, 1, std::max<Offset>(card.parallel_columns, 1));
  const Offset share = card.resident_warps / columns;
  switch (options.glu_mode) {
    case GluMode::small_block:
      return with_warps(std::min<Offset>(share, most_block_warps / 2));
    case GluMode::large_block:
      return {GluMode::large_block, most_block_warps};
    case GluMode::stream:
      return {GluMode::stream, most_block_warps};
    case GluMode::automatic:
      break;
  }
  if (options.glu_thresholds) return by_thresholds(level.width, *options.glu_thresholds);
  if (level.heavy && share >= stream_share) return {GluMode::stream, most_block_warps};
  return with_warps(share);
}

}  // namespace lufact::gpu
