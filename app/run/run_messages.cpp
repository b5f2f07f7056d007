// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/run_messages.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

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

// Warnings of which many runs may have one, and that end with what to do about it, behind the last
// semicolon.
constexpr std::array<std::string_view, 3> with_advice{"host_busy", "host_shared", "noisy"};

std::string without_advice(const Warning& warning) {
  if (std::ranges::find(with_advice, warning.code) == with_advice.end()) return warning.message;
  return warning.message.substr(0, warning.message.rfind("; "));
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
    if (!is_new(warning.code + warning.message)) continue;
    // What to do about it is said once.
    const bool advised = !advised_.insert(warning.code).second;
    print_message(run, "warning " + warning.code,
                  advised ? without_advice(warning) : warning.message, false);
  }
}

void tell_how_to_go_on(const std::string& output) {
  const std::string line =
      fmt::format("lufact: interrupted; the same command with --resume goes on with {}\n", output);
  std::fputs(line.c_str(), stderr);  // which may be gone
}

}  // namespace lufact
