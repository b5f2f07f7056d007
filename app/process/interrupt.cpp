// SPDX-License-Identifier: BSD-3-Clause
#include "app/process/interrupt.hpp"

namespace lufact {
namespace {

volatile int interrupt_seen = 0;

void note_interrupt(int) {
  interrupt_seen = 1;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupt_seen = 0;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  sigaction(SIGINT, &action, &before_int_);
  sigaction(SIGTERM, &action, &before_term_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

bool InterruptGuard::interrupted() noexcept {
  return interrupt_seen != 0;
}

const volatile int* InterruptGuard::flag() noexcept {
  return &interrupt_seen;
}

}  // namespace lufact
