// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <atomic>
#include <utility>

#include "core/preprocess/nd/buffer.hpp"

namespace lufact::nd {

// A list that threads fill together, in no particular order. Each gathers what it adds in a Writer
// of its own, which takes places for many items at once: a counter that every item incremented
// would go from core to core for each, about 0.1 us a time.
class SharedList {
 public:
  SharedList() = default;
  explicit SharedList(Offset room) : items_(room) {}

  Offset size() const noexcept { return count_.load(std::memory_order_relaxed); }
  Index operator[](Offset k) const noexcept { return items_[k]; }
  void clear() noexcept { count_.store(0, std::memory_order_relaxed); }
  friend void swap(SharedList& a, SharedList& b) noexcept {
    std::swap(a.items_, b.items_);
    const Offset count = a.size();
    a.count_.store(b.size(), std::memory_order_relaxed);
    b.count_.store(count, std::memory_order_relaxed);
  }

  class Writer {
   public:
    explicit Writer(SharedList& list) noexcept : list_(list) {}
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() { flush(); }
    void add(Index item) noexcept {
      if (held_ == held_items_.size()) flush();
      held_items_[held_++] = item;
    }

   private:
    void flush() noexcept {
      const Offset place =
          list_.count_.fetch_add(static_cast<Offset>(held_), std::memory_order_relaxed);
      for (std::size_t k = 0; k < held_; ++k) {
        list_.items_[place + static_cast<Offset>(k)] = held_items_[k];
      }
      held_ = 0;
    }

    SharedList& list_;
    std::array<Index, 256> held_items_;
    std::size_t held_ = 0;
  };

 private:
  Buffer<Index> items_;
  std::atomic<Offset> count_{0};
};

// Calls body(k, writer) for k in [0, count), in chunks on the threads, each with a writer to `list`
// of its own. Returns how many calls were true.
template <class Body>
Offset each_adding(Offset count, [[maybe_unused]] int chunk, [[maybe_unused]] int threads,
                   SharedList& list, const Body& body) {
  Offset sum = 0;
#pragma omp parallel num_threads(threads) if (threads > 1) reduction(+ : sum)
  {
    SharedList::Writer writer(list);
#pragma omp for schedule(dynamic, chunk) nowait
    for (Offset k = 0; k < count; ++k) sum += body(k, writer) ? 1 : 0;
  }
  return sum;
}

}  // namespace lufact::nd
