// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/piece_workers.hpp"

#include "core/base/affinity.hpp"

namespace lufact::gpu {
namespace {

// Looks for the next call before a helper sleeps: they take about as long as the card's copy of a
// stage, after which the next stage is filled.
constexpr int looks = 100;

}  // namespace

PieceWorkers::PieceWorkers(int helpers) {
  try {
    const auto processors = given_processors();
    for (int k = 0; k < helpers; ++k) {
      helpers_.emplace_back([this, processors] {
        run_on(processors);
        help();
      });
    }
  } catch (...) {
    stop();
    throw;
  }
}

PieceWorkers::~PieceWorkers() {
  stop();
}

void PieceWorkers::stop() noexcept {
  stop_.store(true, std::memory_order_relaxed);
  calls_.fetch_add(1, std::memory_order_release);
  calls_.notify_all();
}

void PieceWorkers::run(std::uint32_t pieces, const Work& work) {
  work_ = &work;
  pieces_ = pieces;
  done_.store(0, std::memory_order_relaxed);
  left_.store(pieces, std::memory_order_release);
  if (pieces > 1 && !helpers_.empty()) {
    calls_.fetch_add(1, std::memory_order_release);
    calls_.notify_all();
  }
  take_pieces();
  while (done_.load(std::memory_order_acquire) != pieces) std::this_thread::yield();
}

// A thread that lowers left_ has a piece of the present call, which lasts until that piece is done.
// So it does not matter which value of left_ it read before, and of which call. The exchanges
// continue the release sequence of run(), so that each of them sees work_ and pieces_.
void PieceWorkers::take_pieces() {
  std::uint32_t left = left_.load(std::memory_order_relaxed);
  while (left > 0) {
    if (!left_.compare_exchange_weak(left, left - 1, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
      continue;
    }
    (*work_)(pieces_ - left);
    done_.fetch_add(1, std::memory_order_release);
    left = left_.load(std::memory_order_relaxed);
  }
}

void PieceWorkers::help() {
  for (;;) {
    // Before looking for pieces, so that no call is missed.
    const std::uint32_t seen = calls_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    take_pieces();
    for (int k = 0; k < looks && calls_.load(std::memory_order_relaxed) == seen; ++k) {
      std::this_thread::yield();
    }
    calls_.wait(seen, std::memory_order_acquire);
  }
}

}  // namespace lufact::gpu
