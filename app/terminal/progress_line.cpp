// SPDX-License-Identifier: BSD-3-Clause
#include "app/terminal/progress_line.hpp"

#include <unistd.h>

#include <cstdio>

#include "app/terminal/terminal.hpp"

namespace lufact {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

namespace {

constexpr auto first_after = 1000ms, redrawn_after = 200ms;

// The first `width` columns of UTF-8 text.
std::string cut(const std::string& text, std::size_t width) {
  std::size_t columns = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool begins_character = (static_cast<unsigned char>(text[k]) & 0xC0) != 0x80;
    if (begins_character && columns++ == width) return text.substr(0, k);
  }
  return text;
}

}  // namespace

ProgressLine::ProgressLine(bool wanted)
    : usable_(wanted && is_terminal(STDERR_FILENO)), next_(Steady::now() + first_after) {}

bool ProgressLine::is_due() const {
  return usable_ && Steady::now() >= next_;
}

void ProgressLine::show(const std::string& text) {
  if (!is_due()) return;
  // The last column stays free: a terminal may wrap once it is written to.
  const std::string line = "\r\033[K" + cut(text, text_style(STDERR_FILENO).width - 1);
  std::fputs(line.c_str(), stderr);  // which may be gone
  std::fflush(stderr);
  drawn_ = true;
  next_ = Steady::now() + redrawn_after;
}

void ProgressLine::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace lufact
