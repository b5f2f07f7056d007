// SPDX-License-Identifier: BSD-3-Clause
// Threads of a model that take turns at every atomic step, in an order that a seed picks: what a
// card may do with the lanes of its warps, again and again the same. Linked by tests only.
#pragma once
#include <ucontext.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace lufact::test {

class SteppedThreads {
 public:
  explicit SteppedThreads(std::uint64_t seed) : random_(seed) {}
  SteppedThreads(const SteppedThreads&) = delete;
  SteppedThreads& operator=(const SteppedThreads&) = delete;

  // Runs all bodies to their end. A body calls step() before each of its atomic operations.
  void run(std::vector<std::function<void()>> bodies) {
    std::vector<Thread*> live;
    while (threads_.size() < bodies.size()) threads_.push_back(std::make_unique<Thread>());
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      Thread& thread = *threads_[k];
      thread.body = std::move(bodies[k]);
      thread.done = false;
      thread.owner = this;
      getcontext(&thread.context);
      thread.context.uc_stack.ss_sp = thread.stack.data();
      thread.context.uc_stack.ss_size = thread.stack.size();
      thread.context.uc_link = &main_;
      // makecontext passes ints alone.
      const auto address = reinterpret_cast<std::uintptr_t>(&thread);
      makecontext(&thread.context, reinterpret_cast<void (*)()>(&SteppedThreads::enter), 2,
                  static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
      live.push_back(&thread);
    }
    while (!live.empty()) {
      const std::size_t chosen =
          std::uniform_int_distribution<std::size_t>(0, live.size() - 1)(random_);
      running_ = live[chosen];
      swapcontext(&main_, &running_->context);
      if (!running_->done) continue;
      live[chosen] = live.back();
      live.pop_back();
    }
    running_ = nullptr;
  }

  // Lets another thread go on, or this one. Outside of run() nothing.
  void step() {
    if (running_ != nullptr) swapcontext(&running_->context, &main_);
  }

 private:
  struct Thread {
    std::function<void()> body;
    bool done = false;
    SteppedThreads* owner = nullptr;
    ucontext_t context{};
    std::vector<char> stack = std::vector<char>(64 << 10);
  };

  static void enter(unsigned upper, unsigned lower) {
    auto* thread = reinterpret_cast<Thread*>((static_cast<std::uintptr_t>(upper) << 32) | lower);
    thread->body();
    thread->done = true;
  }

  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Thread>> threads_;
  Thread* running_ = nullptr;
  ucontext_t main_{};
};

// Atomic operations of such threads, for the search's visits.
struct SteppedAtomics {
  SteppedThreads* threads = nullptr;

  std::uint32_t load(std::uint32_t& word) const {
    threads->step();
    return word;
  }
  std::uint32_t fetch_min(std::uint32_t& word, std::uint32_t value) const {
    threads->step();
    const std::uint32_t before = word;
    if (value < word) word = value;
    return before;
  }
  std::uint32_t fetch_max(std::uint32_t& word, std::uint32_t value) const {
    threads->step();
    const std::uint32_t before = word;
    if (value > word) word = value;
    return before;
  }
  std::uint32_t fetch_or(std::uint32_t& word, std::uint32_t value) const {
    threads->step();
    const std::uint32_t before = word;
    word |= value;
    return before;
  }
  std::uint32_t fetch_and(std::uint32_t& word, std::uint32_t value) const {
    threads->step();
    const std::uint32_t before = word;
    word &= value;
    return before;
  }
};

}  // namespace lufact::test
