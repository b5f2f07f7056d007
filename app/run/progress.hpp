// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <string>

#include "core/pipeline/stage.hpp"

namespace lufact {

// A line on standard error, kept up to date, for work that takes more than two seconds; silent
// where standard error is not a terminal.
class TerminalProgress final : public Progress {
 public:
  TerminalProgress();
  ~TerminalProgress() override;
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;
  void report(std::string_view what, Offset done, Offset total) override;

 private:
  void clear();

  bool terminal_ = false, shown_ = false;
  std::string what_;
  std::chrono::steady_clock::time_point begin_, last_;
};

}  // namespace lufact
