// SPDX-License-Identifier: BSD-3-Clause
// The decision that all selectors share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/pipeline/selector.hpp"

namespace lufact {
namespace {

using ::testing::ElementsAre;

Weighed weighed(const char* name, double cost, const char* hindrance = "") {
  return {name, {.cost = cost, .figures = "f", .hindrance = hindrance}};
}

TEST(Decision, FallsOnTheLeastCostAndTheFirstOfEquals) {
  const Decision least = decide("s", "q", std::array{weighed("a", 2), weighed("b", 1)});
  EXPECT_EQ(least.index, 1u);
  EXPECT_EQ(least.choice.stage, "s");
  EXPECT_EQ(least.choice.chosen, "b");
  EXPECT_THAT(least.choice.candidates, ElementsAre("a", "b"));
  EXPECT_EQ(least.choice.reason, "q: a f, b f");
  EXPECT_EQ(decide("s", "q", std::array{weighed("a", 1), weighed("b", 1)}).index, 0u);
}

TEST(Decision, PassesOverWhatIsHindered) {
  const Decision passed =
      decide("s", "q", std::array{weighed("a", 1, "it is closed"), weighed("b", 2)});
  EXPECT_EQ(passed.index, 1u);
  EXPECT_EQ(passed.choice.reason, "q: a f but it is closed, b f");
  const std::array all{weighed("a", 2, "x"), weighed("b", 1, "y")};
  EXPECT_EQ(decide("s", "q", all).index, 0u);
}

// The second candidate needs a device that other stages use.
Selector two_ways(bool asks) {
  return Selector(
      {.info = {},
       .decides = "numeric",
       .question = [asks](const Known&) -> std::optional<Question> {
         if (!asks) return std::nullopt;
         return Question{.text = "q", .threads = 2};
       },
       .candidates = {{.stages = {}, .forecast = [](const Known&) { return Forecast{.cost = 2}; }},
                      {.stages = {},
                       .forecast = [](const Known&) { return Forecast{.cost = 1}; },
                       .only_beside_device = true}}});
}

std::size_t chosen(const Selector& selector, std::optional<std::uint64_t> room, StageNotes& notes) {
  const std::array open{OpenCandidate{"host", &selector.candidates()[0]},
                        OpenCandidate{"device", &selector.candidates()[1]}};
  const StageOptions options;
  return selector.choose(open, {.options = options, .device_room = room}, notes);
}

TEST(Selector, OpensTheDeviceOnlyBesideOtherStagesThatUseIt) {
  StageNotes notes;
  EXPECT_EQ(chosen(two_ways(true), 1, notes), 1u);
  EXPECT_EQ(chosen(two_ways(true), std::nullopt, notes), 0u);
  ASSERT_EQ(notes.choices.size(), 2u);
  EXPECT_EQ(notes.choices[0].chosen, "device");
  EXPECT_EQ(notes.choices[1].reason,
            "q: host, device but no other stage of this run may use a device");
}

TEST(Selector, RecordsNothingWhereThereIsNoQuestion) {
  StageNotes notes;
  EXPECT_EQ(chosen(two_ways(false), 1, notes), 0u);
  EXPECT_TRUE(notes.choices.empty());
}

}  // namespace
}  // namespace lufact
