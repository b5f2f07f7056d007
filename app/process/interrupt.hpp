// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <signal.h>

#include <array>

namespace lufact {

// While it lives, SIGINT, SIGTERM and SIGHUP set a flag instead of ending the program, so that the
// result file can still be written whole. After SIGHUP what goes to the terminal that hung up is
// dropped: writing there would fail. A SIGHUP that was ignored before, as under nohup, stays so.
// One at a time; the handlers from before come back with its end.
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
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace lufact
