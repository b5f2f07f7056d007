// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <string>

namespace lufact {

// One line on standard error that is kept up to date and goes away without a trace; nothing where
// standard error is no terminal. Whoever prints anything else calls clear() before.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Whether a new text would be drawn now: not in the first second, which many runs do not reach,
  // and a few times a second from then on.
  bool is_due() const;
  // Cut at the width of the terminal.
  void show(const std::string& text);
  void clear();

 private:
  bool usable_, drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace lufact
