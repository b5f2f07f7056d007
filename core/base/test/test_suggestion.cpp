// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "core/base/suggestion.hpp"

namespace lufact {
namespace {

TEST(Suggestion, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "amd"), 3u);
  EXPECT_EQ(edit_distance("amd", "amd"), 0u);
  EXPECT_EQ(edit_distance("adm", "amd"), 1u);  // neighbours interchanged
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("runn", "run"), 1u);
}

TEST(Suggestion, NamesTheNearestAndNothingFarAway) {
  const std::vector<std::string> orderings{"amd", "colamd", "natural", "nd-parallel"};
  EXPECT_EQ(nearest_name("adm", orderings), "amd");
  EXPECT_EQ(nearest_name("AMD", orderings), "amd");
  EXPECT_EQ(nearest_name("colmad", orderings), "colamd");
  EXPECT_EQ(nearest_name("nat", orderings), "natural");  // what it begins
  EXPECT_EQ(nearest_name("alphabetical", orderings), "");
  EXPECT_EQ(nearest_name("", orderings), "");
  EXPECT_EQ(nearest_name("x", orderings), "");
}

TEST(Suggestion, SpeaksInTheMiddleOfAMessage) {
  EXPECT_EQ(did_you_mean("--mod", {"--matrix", "--mode"}), " (did you mean '--mode'?)");
  EXPECT_EQ(did_you_mean("teapot", {"grid2d", "circuit"}), "");
}

}  // namespace
}  // namespace lufact
