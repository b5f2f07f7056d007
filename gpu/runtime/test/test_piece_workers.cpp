// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "gpu/runtime/piece_workers.hpp"

namespace lufact::gpu {
namespace {

TEST(PieceWorkers, CallTheWorkOnceForEveryPiece) {
  for (const int helpers : {0, 1, 3}) {
    PieceWorkers workers(helpers);
    // Calls of all sizes follow one another, so that helpers that are late meet a later call.
    for (std::uint32_t call = 0; call < 3000; ++call) {
      const std::uint32_t pieces = call % 67;
      std::vector<std::uint32_t> calls(pieces);
      workers.run(pieces, [&](std::uint32_t piece) { calls.at(piece) += call + 1; });
      ASSERT_TRUE(std::ranges::all_of(calls, [&](std::uint32_t sum) { return sum == call + 1; }))
          << helpers << " helpers, call " << call;
    }
  }
}

TEST(PieceWorkers, FindHelpersThatHaveGoneToSleep) {
  PieceWorkers workers(2);
  for (int call = 0; call < 5; ++call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> sum{0};
    workers.run(100, [&](std::uint32_t piece) { sum += static_cast<int>(piece); });
    EXPECT_EQ(sum, 4950);
  }
}

TEST(PieceWorkers, HelpersTakePiecesWhileTheCallerHasOne) {
  PieceWorkers workers(1);
  std::atomic<int> entered{0};
  // Each of the two pieces ends only when the other one has begun.
  workers.run(2, [&](std::uint32_t) {
    ++entered;
    while (entered < 2) std::this_thread::yield();
  });
  EXPECT_EQ(entered, 2);
}

}  // namespace
}  // namespace lufact::gpu
