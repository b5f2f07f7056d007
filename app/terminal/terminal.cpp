// SPDX-License-Identifier: BSD-3-Clause
#include "app/terminal/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace lufact {
namespace {

constexpr std::size_t narrowest = 40;  // below, tables are only harder to read

std::optional<std::size_t> columns_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

bool wants_colours(bool terminal, const Environment& environment) {
  const auto is_set = [&](const char* name) { return !environment(name).value_or("").empty(); };
  if (is_set("NO_COLOR")) return false;
  if (is_set("CLICOLOR_FORCE") && environment("CLICOLOR_FORCE") != "0") return true;
  return terminal && environment("TERM").value_or("dumb") != "dumb" &&
         environment("CLICOLOR") != "0";
}

bool is_terminal(int descriptor) {
  return isatty(descriptor) == 1;
}

bool nobody_reads(int reason) noexcept {
  return reason == EPIPE || reason == EIO;
}

TextStyle text_style(int descriptor) {
  TextStyle style;
  const bool terminal = is_terminal(descriptor);
  if (terminal) style.width = std::max(narrowest, columns_of(descriptor).value_or(style.width));
  style.colours = wants_colours(terminal, environment_variable);
  return style;
}

}  // namespace lufact
