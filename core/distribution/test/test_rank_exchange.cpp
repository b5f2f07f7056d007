// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "core/distribution/rank_exchange.hpp"
#include "core/distribution/test/thread_ranks.hpp"

namespace lufact {
namespace {

using test::run_on_ranks;

TEST(RankExchange, CutsBytesIntoPieces) {
  std::vector<std::uint64_t> sizes;
  char* const begin = nullptr;
  in_pieces(begin, 2 * RankGroup::most_bytes + 5,
            [&](void*, std::uint64_t bytes) { sizes.push_back(bytes); });
  EXPECT_THAT(sizes, testing::ElementsAre(RankGroup::most_bytes, RankGroup::most_bytes, 5U));
  in_pieces(begin, 0, [](void*, std::uint64_t) { FAIL(); });
}

TEST(RankExchange, EveryRankHasThePattern) {
  CsrPattern b;
  b.n_rows = b.n_cols = 3;
  b.row_ptr = {0, 2, 3, 5};
  b.col_idx = {0, 2, 1, 0, 2};
  std::atomic<int> equal{0};
  run_on_ranks(4, [&](RankGroup& ranks) {
    if (ranks.rank() == 0) return share_pattern(ranks, b.view());
    const CsrPattern taken = take_pattern(ranks);
    equal += taken.n_cols == 3 && taken.row_ptr == b.row_ptr && taken.col_idx == b.col_idx;
  });
  EXPECT_EQ(equal, 3);
}

TEST(RankExchange, TheFailureOfTheLowestRankIsThrownWithItsName) {
  try {
    run_on_ranks(4, [](RankGroup& ranks) {
      if (ranks.rank() == 0) {
        collect_reports(ranks);
        return;
      }
      const bool went_well = search_and_report(ranks, [&]() -> RankReport {
        if (ranks.rank() >= 2) throw Error(Outcome::oom_device, "gsofa_budget", "too little");
        return {};
      });
      EXPECT_EQ(went_well, ranks.rank() == 1);
    });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_EQ(error.code(), "gsofa_budget");
    EXPECT_STREQ(error.what(), "rank 2 on here: too little");
  }
}

TEST(RankExchange, WhatIsNoErrorOfOursIsToldAsOne) {
  const auto failure_of = [](const std::function<void()>& fail) {
    std::optional<RankFailure> failure;
    run_on_ranks(2, [&](RankGroup& ranks) {
      if (ranks.rank() == 0) {
        failure = ranks.receive_report(1).failure;
        return;
      }
      search_and_report(ranks, [&]() -> RankReport {
        fail();
        return {};
      });
    });
    return failure.value();
  };
  EXPECT_EQ(failure_of([] { throw std::bad_alloc(); }).outcome, Outcome::oom_host);
  const RankFailure other = failure_of([] { throw std::logic_error("a slip"); });
  EXPECT_EQ(other.outcome, Outcome::error);
  EXPECT_THAT(other.message, testing::HasSubstr("a slip"));
}

TEST(RankExchange, StartsOfAllRanksAreRowPointers) {
  std::vector<Index> supernodes;
  run_on_ranks(3, [&](RankGroup& ranks) {
    if (ranks.rank() > 0) {
      const std::vector<Index> starts{4 * ranks.rank(), 4 * ranks.rank() + 3};
      send_starts(ranks, starts);
      return;
    }
    std::vector<RankReport> reports(2);
    reports[0].supernodes = reports[1].supernodes = 2;
    supernodes = collect_starts(ranks, reports, {0, 12}, 16);
  });
  EXPECT_THAT(supernodes, testing::ElementsAre(0, 4, 7, 8, 11, 12, 16));
}

TEST(RankExchange, NotesNameEveryRankAndItsSlices) {
  DistributionNotes notes;
  run_on_ranks(2, [&](RankGroup& ranks) {
    if (ranks.rank() > 0) return;
    std::vector<RankReport> reports(1);
    reports[0].host_peak_bytes = 77;
    reports[0].slices.resize(2);
    reports[0].slices[1].device = 1;
    add_rank_notes(ranks, std::vector<DistributionSlice>(2), reports, notes);
  });
  EXPECT_EQ(notes.transport, "mpi");
  ASSERT_EQ(notes.ranks.size(), 2U);
  EXPECT_EQ(notes.ranks[1].host, "here");
  EXPECT_EQ(notes.ranks[1].host_peak_bytes, 77U);
  ASSERT_EQ(notes.slices.size(), 4U);
  EXPECT_EQ(notes.slices[3].node, 1);
  EXPECT_EQ(notes.slices[3].device, 1);
}

}  // namespace
}  // namespace lufact
