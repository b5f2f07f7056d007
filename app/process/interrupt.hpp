// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <signal.h>

namespace lufact {

// While it lives, SIGINT and SIGTERM set a flag instead of ending the program, so that the result
// file can still be written whole. One at a time; the handlers from before come back with its end.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool interrupted() noexcept;
  // Nonzero once interrupted; for those who wait.
  static const volatile int* flag() noexcept;

 private:
  struct sigaction before_int_ {
  }, before_term_{};
};

}  // namespace lufact
