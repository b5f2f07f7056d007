// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "gpu/numeric/glu_modes.hpp"

namespace lufact::gpu {
namespace {

constexpr LevelCard small_card{1792, 10000};  // 28 multiprocessors

void expect_launch(const LevelLaunch& launch, GluMode mode, int warps) {
  EXPECT_EQ(launch.mode, mode);
  EXPECT_EQ(launch.warps, warps);
}

TEST(GluModes, TheCardsWarpsAreDividedByTheWidthOfTheLevel) {
  const auto launch = [](Offset width) {
    return choose_level_launch({width, true}, small_card, {});
  };
  expect_launch(launch(100000), GluMode::small_block, 2);
  expect_launch(launch(897), GluMode::small_block, 2);
  expect_launch(launch(449), GluMode::small_block, 2);
  expect_launch(launch(448), GluMode::small_block, 4);
  expect_launch(launch(224), GluMode::small_block, 8);
  expect_launch(launch(112), GluMode::small_block, 16);
  expect_launch(launch(56), GluMode::large_block, 32);
  expect_launch(launch(17), GluMode::large_block, 32);
  expect_launch(launch(16), GluMode::stream, 32);
  expect_launch(launch(1), GluMode::stream, 32);
}

TEST(GluModes, NarrowLevelsOfLightColumnsStayInBlocks) {
  for (const Offset width : {1, 16}) {
    expect_launch(choose_level_launch({width, false}, small_card, {}), GluMode::large_block, 32);
  }
}

TEST(GluModes, FewerWorkColumnsThanTheLevelIsWideGetLargerBlocks) {
  expect_launch(choose_level_launch({100000, true}, {1792, 100}, {}), GluMode::small_block, 16);
  expect_launch(choose_level_launch({100000, true}, {1792, 20}, {}), GluMode::large_block, 32);
  expect_launch(choose_level_launch({100000, true}, {1792, 1}, {}), GluMode::stream, 32);
}

TEST(GluModes, GivenThresholdsAreThoseOfThePublicCode) {
  StageOptions options;
  options.glu_thresholds = {896, 448, 16};
  const auto launch = [&](Offset width) {
    return choose_level_launch({width, false}, {8448, 10000}, options);
  };
  expect_launch(launch(897), GluMode::small_block, 2);
  expect_launch(launch(896), GluMode::small_block, 4);
  expect_launch(launch(449), GluMode::small_block, 4);
  expect_launch(launch(448), GluMode::large_block, 32);
  expect_launch(launch(17), GluMode::large_block, 32);
  expect_launch(launch(16), GluMode::stream, 32);
}

TEST(GluModes, OneModeCanBeForced) {
  StageOptions options;
  options.glu_thresholds = {896, 448, 16};
  for (const Offset width : {1, 100, 100000}) {
    options.glu_mode = GluMode::small_block;
    EXPECT_EQ(choose_level_launch({width, false}, small_card, options).mode, GluMode::small_block);
    EXPECT_LE(choose_level_launch({width, false}, small_card, options).warps, 16);
    options.glu_mode = GluMode::large_block;
    expect_launch(choose_level_launch({width, false}, small_card, options), GluMode::large_block,
                  32);
    options.glu_mode = GluMode::stream;
    expect_launch(choose_level_launch({width, false}, small_card, options), GluMode::stream, 32);
  }
}

}  // namespace
}  // namespace lufact::gpu
