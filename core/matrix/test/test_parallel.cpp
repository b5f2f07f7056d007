// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// In a region that names no number of threads.
int threads_of_a_region() {
  std::atomic<int> threads{0};
#pragma omp parallel
  ++threads;
  return threads;
}

TEST(OneThread, IsWhatRegionsHaveWhileItLives) {
  const int before = threads_of_a_region();
  {
    const OneThread alone;
    EXPECT_EQ(thread_count(0), 1);
    EXPECT_EQ(threads_of_a_region(), 1);
    {
      const OneThread inside;
      EXPECT_EQ(threads_of_a_region(), 1);
    }
    EXPECT_EQ(threads_of_a_region(), 1);
  }
  EXPECT_EQ(thread_count(0), before);
  EXPECT_EQ(threads_of_a_region(), before);
}

TEST(ParallelFor, CallsTheBodyOnceForEachIndex) {
  for (const int threads : {1, 3}) {
    std::vector<std::atomic<int>> calls(100);
    parallel_for(100, threads, [&](Offset k) { ++calls[static_cast<std::size_t>(k)]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelFor, LetsAnExceptionOut) {
  for (const int threads : {1, 3}) {
    const auto body = [](Offset k) {
      if (k == 7) throw std::runtime_error("seven");
    };
    EXPECT_THROW(parallel_for(100, threads, body), std::runtime_error);
  }
}

}  // namespace
}  // namespace lufact
