// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/run_messages.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "app/terminal/terminal.hpp"
#include "core/report/cells.hpp"

namespace lufact {
namespace {

void print_message(const RunRecord& run, const std::string& what, const std::string& message,
                   bool failure) {
  const bool colours = text_style(STDERR_FILENO).colours;
  const char* colour = failure ? "\033[31m" : "\033[33m";
  const std::string line =
      fmt::format("lufact: {} {}: {}{}{}: {}\n", run.input.name, run_label(run),
                  colours ? colour : "", what, colours ? "\033[0m" : "", message);
  std::fputs(line.c_str(), stderr);  // which may be gone
}

}  // namespace

bool RunMessages::is_new(const std::string& message) {
  return told_.insert(message).second;
}

void RunMessages::tell(const RunRecord& run) {
  const std::string input = run.input.name + '\n' + run.input.path.value_or("");
  if (input != input_) told_.clear();
  input_ = input;
  if (run.outcome != Outcome::ok && run.error && is_new(run.error->message)) {
    const std::string phase = run.error->phase ? fmt::format(" in {}", *run.error->phase) : "";
    print_message(run, std::string(to_string(run.outcome)) + phase, run.error->message, true);
  }
  if (!warnings_) return;
  for (const Warning& warning : run.warnings) {
    if (is_new(warning.code + warning.message)) {
      print_message(run, "warning " + warning.code, warning.message, false);
    }
  }
}

}  // namespace lufact
