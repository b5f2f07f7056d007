// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <memory>
#include <thread>

#include "core/base/types.hpp"

namespace lufact {

// Which columns are finished; the release of a mark makes the column's data visible.
class FinishedColumns {
 public:
  explicit FinishedColumns(std::size_t n) : marks_(std::make_unique<std::atomic<char>[]>(n)) {
    for (std::size_t j = 0; j < n; ++j) marks_[j].store(0, std::memory_order_relaxed);
  }
  void mark(Index j) { marks_[static_cast<std::size_t>(j)].store(1, std::memory_order_release); }
  bool test(Index j) const {
    return marks_[static_cast<std::size_t>(j)].load(std::memory_order_acquire) != 0;
  }
  void wait(Index j) const {
    constexpr int spins_before_yield = 256;
    for (int spins = 0; !test(j); ++spins) {
      if (spins >= spins_before_yield) std::this_thread::yield();
    }
  }

 private:
  std::unique_ptr<std::atomic<char>[]> marks_;
};

}  // namespace lufact
