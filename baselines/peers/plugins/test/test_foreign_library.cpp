// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "baselines/peers/plugins/array_plugin.hpp"
#include "baselines/peers/plugins/foreign_library.hpp"
#include "baselines/peers/plugins/needed_libraries.hpp"

namespace lufact::peers {
namespace {

TEST(FolderOf, IsWhereTheLoaderFoundTheLibrary) {
  const ForeignLibrary libc({}, {"libc.so.6"}, "install a C library");
  const std::string folder =
      folder_of(reinterpret_cast<const void*>(libc.function<int(const char*)>("puts")));
  EXPECT_EQ(access((folder + "/libc.so.6").c_str(), R_OK), 0) << folder;
}

TEST(FolderOf, IsEmptyForWhatWasNotLoaded) {
  const int on_the_stack = 0;
  EXPECT_EQ(folder_of(&on_the_stack), "");
}

TEST(NeededLibraries, AreThoseThatALibraryNames) {
  const ForeignLibrary libc({}, {"libc.so.6"}, "install a C library");
  const auto* puts = reinterpret_cast<const void*>(libc.function<int(const char*)>("puts"));
  EXPECT_FALSE(needs_library(puts, "libstdc++"));
  EXPECT_FALSE(needs_openmp(puts));
  EXPECT_TRUE(needs_library(reinterpret_cast<const void*>(&folder_of), "libstdc++"));
  const int on_the_stack = 0;
  EXPECT_FALSE(needs_library(&on_the_stack, "lib"));
}

TEST(WarnOnOneThread, WhereSeveralWereGiven) {
  Facts facts;
  facts.library = "a solver";
  warn_on_one_thread(facts, 1, "of no matter");
  EXPECT_TRUE(facts.warnings.empty());
  facts.threads = 2;
  warn_on_one_thread(facts, 4, "of no matter");
  EXPECT_TRUE(facts.warnings.empty());
  facts.threads = 1;
  warn_on_one_thread(facts, 4, "a library is missing");
  ASSERT_EQ(facts.warnings.size(), 1u);
  EXPECT_EQ(facts.warnings[0].first, "peer_on_one_thread");
  EXPECT_EQ(facts.warnings[0].second,
            "a solver uses one of the 4 host threads that it may use: a library is missing");
}

TEST(WarnOnOneThread, OfALibraryForDenseMatricesToo) {
  ArrayFacts facts;
  facts.library = "a library";
  warn_on_one_thread(facts, 2, "a layer is missing");
  ASSERT_EQ(facts.warnings.size(), 1u);
  EXPECT_EQ(facts.warnings[0].first, "peer_on_one_thread");
}

}  // namespace
}  // namespace lufact::peers
