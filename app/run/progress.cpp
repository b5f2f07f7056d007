// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace lufact {

using namespace std::chrono_literals;

TerminalProgress::TerminalProgress() : terminal_(isatty(STDERR_FILENO) == 1) {}

TerminalProgress::~TerminalProgress() {
  clear();
}

void TerminalProgress::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

void TerminalProgress::report(std::string_view what, Offset done, Offset total) {
  if (!terminal_ || total <= 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (what != what_ || done == 0) {
    clear();
    what_ = what;
    begin_ = last_ = now;
  }
  if (done >= total) {
    clear();
    return;
  }
  if (now - begin_ < 2s || now - last_ < 200ms) return;
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const double share = static_cast<double>(done) / static_cast<double>(total);
  fmt::print(stderr, "\r\033[K{}: {} of {} ({:.0f}%), about {:.0f} s left", what_, done, total,
             100 * share, done > 0 ? elapsed * (1 - share) / share : 0.0);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace lufact
