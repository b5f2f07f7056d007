// SPDX-License-Identifier: BSD-3-Clause
// Parallel loops that let exceptions out.
#pragma once
#include <atomic>
#include <exception>

#include "core/base/types.hpp"

namespace lufact {

// `requested` threads, or all that OpenMP would start where it is 0 or less. At least 1.
int thread_count(int requested) noexcept;

// Number of the calling thread in its team, from 0; 0 outside of parallel regions.
int thread_number() noexcept;

// While this object lives, OpenMP regions of the calling thread that name no number of threads run
// on one thread. OpenMP's threads spin for milliseconds after a region (libgomp: some 15): our own
// threads must not spin while another library's are timed.
class OneThread {
 public:
  OneThread() noexcept;
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// All threads, or one where work is below `worthwhile` units and starting threads costs more than
// they save. No number in between, since OpenMP runtimes end and start threads where team sizes
// change.
constexpr int threads_for(Offset work, Offset worthwhile, int threads) noexcept {
  return work < worthwhile ? 1 : threads;
}

// Lets an exception out of a parallel region, which would end the process where it left one: what
// may throw there, as allocations do, is run by this.
class RegionErrors {
 public:
  // Nothing where a thread of the region has thrown before.
  template <class Body>
  void run(const Body& body) noexcept {
    if (stop_.load(std::memory_order_relaxed)) return;
    try {
      body();
    } catch (...) {
      if (!stop_.exchange(true)) thrown_ = std::current_exception();
    }
  }

  // Behind the region: throws again what was thrown there, any one where several threads did.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::atomic<bool> stop_{false};
  std::exception_ptr thrown_;
};

// Calls body(k) for k in [0, count), in any order, on up to `threads` threads. An exception ends
// the loop early and is thrown again here; where there are several, any one of them.
template <class Body>
void parallel_for(Offset count, [[maybe_unused]] int threads, const Body& body) {
  RegionErrors errors;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1 && count > 1)
#endif
  for (Offset k = 0; k < count; ++k) errors.run([&] { body(k); });
  errors.rethrow();
}

}  // namespace lufact
