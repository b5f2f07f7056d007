// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>

#include "app/run/run_progress.hpp"
#include "app/terminal/terminal.hpp"

namespace lufact {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

bool colours_with(bool terminal, const std::map<std::string, std::string>& variables) {
  return wants_colours(terminal, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  });
}

TEST(Colours, FollowTheConventions) {
  EXPECT_TRUE(colours_with(true, {{"TERM", "xterm"}}));
  EXPECT_FALSE(colours_with(true, {}));
  EXPECT_FALSE(colours_with(true, {{"TERM", "dumb"}}));
  EXPECT_FALSE(colours_with(false, {{"TERM", "xterm"}}));
  EXPECT_FALSE(colours_with(true, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}));
  EXPECT_TRUE(colours_with(true, {{"TERM", "xterm"}, {"NO_COLOR", ""}}));
  EXPECT_FALSE(colours_with(true, {{"TERM", "xterm"}, {"CLICOLOR", "0"}}));
  EXPECT_TRUE(colours_with(false, {{"CLICOLOR_FORCE", "1"}}));
  EXPECT_FALSE(colours_with(false, {{"CLICOLOR_FORCE", "0"}}));
  EXPECT_FALSE(colours_with(true, {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}));
}

TEST(RunProgress, SaysWhatIsBeingDone) {
  RunProgress progress(2, false);
  auto board = PhaseBoard::make();
  ASSERT_TRUE(board.has_value());
  progress.begin_input("memplus");
  progress.expect("klu", {.warmup = 1, .repetitions = 5, .refactor = 3});
  progress.begin_opening("klu");
  EXPECT_THAT(progress.text(nullptr), "memplus (1 of 2): klu, opening");
  progress.begin_turn("klu", -1, false);
  EXPECT_EQ(progress.text(nullptr), "memplus (1 of 2): klu, warm-up");
  progress.sampled();
  progress.begin_turn("klu", 2, false);
  board->show("numeric");
  EXPECT_THAT(
      progress.text(&*board),
      MatchesRegex("memplus \\(1 of 2\\): klu, repetition 3 of 5, numeric; at least [0-9.]+ "
                   "s left on it"));
  board->show_share(0.5);
  EXPECT_THAT(progress.text(&*board), HasSubstr("numeric 50%; "));
}

// The number in "; about 4.2 s left".
double seconds_left(const std::string& text) {
  const std::size_t end = text.find(" s left");
  return std::stod(text.substr(text.rfind(' ', end - 1) + 1));
}

// A busy host makes turns longer, not shorter.
TEST(RunProgress, TellsTimeOnceEveryVariantHadATurn) {
  RunProgress progress(1, false);
  progress.begin_input("memplus");
  progress.expect("klu", {.warmup = 0, .repetitions = 3, .refactor = 2});
  progress.expect("cpu", {.warmup = 0, .repetitions = 3});
  progress.begin_turn("klu", 0, false);
  usleep(200000);
  progress.sampled();
  EXPECT_THAT(progress.text(nullptr), Not(HasSubstr("left")));
  progress.begin_turn("cpu", 0, false);
  progress.sampled();
  progress.begin_turn("klu", 1, false);
  EXPECT_THAT(progress.text(nullptr), ContainsRegex("; at least [0-9.]+ s left$"));
  EXPECT_GE(seconds_left(progress.text(nullptr)), 0.2) << "that of one more turn than this";
  progress.sampled();
  progress.begin_turn("klu", 2, true);
  progress.sampled();
  EXPECT_THAT(progress.text(nullptr), HasSubstr("klu, refactorization 1 of 2; at least"));
  usleep(200000);
  progress.refactored();
  EXPECT_THAT(progress.text(nullptr),
              ContainsRegex("klu, refactorization 2 of 2; about [0-9.]+ s left$"));
  progress.refactored();
  progress.end_variant("klu");
  progress.begin_turn("cpu", 1, false);
  EXPECT_THAT(progress.text(nullptr),
              MatchesRegex("memplus: cpu, repetition 2 of 3; about [0-9.]+ s left"));
}

// Repetitions go on until their times are as close as was asked for.
TEST(RunProgress, TellsTheFewestAndTheMostOfRepetitionsThatDependOnNoise) {
  RunProgress progress(1, false);
  progress.begin_input("memplus");
  progress.expect(
      "klu",
      {.warmup = 0, .repetitions = 2, .refactor = 1, .max_noise_percent = 1, .max_repetitions = 9});
  for (int k = 0; k < 4; ++k) {
    progress.begin_turn("klu", k, false);
    EXPECT_THAT(progress.text(nullptr), HasSubstr(fmt::format("repetition {} of 2 to 9", k + 1)));
    usleep(30000);
    progress.sampled();
  }
  EXPECT_THAT(progress.text(nullptr),
              ContainsRegex("repetition 4 of 2 to 9; at least [0-9.]+ s left$"));
  progress.begin_turn("klu", 4, true);
  EXPECT_THAT(progress.text(nullptr), ContainsRegex("repetition 5 of 5; at least [0-9.]+ s left$"));
  progress.sampled();
  EXPECT_THAT(progress.text(nullptr), HasSubstr("refactorization 1 of 1"));
}

}  // namespace
}  // namespace lufact
