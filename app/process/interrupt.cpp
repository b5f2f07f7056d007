// SPDX-License-Identifier: BSD-3-Clause
#include "app/process/interrupt.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace lufact {
namespace {

volatile int interrupt_seen = 0;

// Whether this is a terminal at whose other end nobody is any more. For the signal handler:
// tcgetattr() is one of the functions that may be called there.
bool has_hung_up(int descriptor) {
  termios settings{};
  return tcgetattr(descriptor, &settings) != 0 && errno == EIO;
}

void drop_what_goes_to_the_terminal() {
  const int before = errno;
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    if (nowhere >= 0 && has_hung_up(descriptor)) dup2(nowhere, descriptor);
  }
  if (nowhere > STDERR_FILENO) close(nowhere);
  errno = before;
}

void note_interrupt(int signal) {
  interrupt_seen = 1;
  if (signal == SIGHUP) drop_what_goes_to_the_terminal();
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupt_seen = 0;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  for (std::size_t k = 0; k < signals.size(); ++k) {
    sigaction(signals[k], nullptr, &before_[k]);
    if (signals[k] == SIGHUP && before_[k].sa_handler == SIG_IGN) continue;
    sigaction(signals[k], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t k = 0; k < signals.size(); ++k) sigaction(signals[k], &before_[k], nullptr);
}

bool InterruptGuard::interrupted() noexcept {
  return interrupt_seen != 0;
}

const volatile int* InterruptGuard::flag() noexcept {
  return &interrupt_seen;
}

}  // namespace lufact
