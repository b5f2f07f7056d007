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

TEST(RegionErrors, RunNothingMoreOnceAThreadHasThrown) {
  RegionErrors errors;
  std::atomic<int> calls{0};
#pragma omp parallel num_threads(2)
  {
    errors.run([] { throw std::runtime_error("each"); });
#pragma omp for
    for (int k = 0; k < 10; ++k) errors.run([&] { ++calls; });
  }
  EXPECT_EQ(calls, 0);
  EXPECT_THROW(errors.rethrow(), std::runtime_error);
}

TEST(RegionErrors, ThrowNothingWhereNothingWasThrown) {
  RegionErrors errors;
  int calls = 0;
  errors.run([&] { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_NO_THROW(errors.rethrow());
}

}  // namespace
}  // namespace lufact
