// SPDX-License-Identifier: BSD-3-Clause
#include "app/manual/help_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace lufact {
namespace {

constexpr int least_width = 40, usual_width = 80, most_width = 100;
constexpr int narrow_width = 64;  // below it, texts stand under their options

// Breaks between words; lines after the first begin with `indent` blanks. `column`: where the first
// word stands. A word longer than a line stays whole.
std::string wrapped(const std::string& text, int column, int indent, int width) {
  std::string lines;
  bool first = true;
  std::istringstream words(text);
  for (std::string word; words >> word; first = false) {
    const int end = column + (first ? 0 : 1) + static_cast<int>(word.size());
    if (!first && end > width) {
      lines += "\n" + std::string(static_cast<std::size_t>(indent), ' ') + word;
      column = indent + static_cast<int>(word.size());
    } else {
      lines += (first ? "" : " ") + word;
      column = end;
    }
  }
  return lines + "\n";
}

// `head` at the left and `text` beside it, or below where there is no room.
std::string entry(const std::string& head, const std::string& text, int width) {
  const int indent = width < narrow_width ? 6 : 30;
  std::string line = "  " + head;
  if (text.empty()) return line + "\n";
  if (static_cast<int>(line.size()) + 2 > indent) {
    line += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
  } else {
    line.resize(static_cast<std::size_t>(indent), ' ');
  }
  return line + wrapped(text, indent, indent, width);
}

std::string head_of(const OptionFacts& option) {
  std::string head =
      option.names.empty() ? option.positional : fmt::format("{}", fmt::join(option.names, ","));
  if (option.names.empty()) return option.words.empty() ? head : head + " " + option.value;
  if (option.value.empty()) return head;
  head += " " + option.value;
  return option.default_text.empty() ? head : head + "=" + option.default_text;
}

std::string option_entry(const OptionFacts& option, int width) {
  return entry(head_of(option), option.help + (option.required ? " (required)" : ""), width);
}

std::string usage(const CommandFacts& command, int width) {
  std::string line = "Usage: " + command.path;
  if (!command.commands.empty()) line += command.needs_command ? " COMMAND" : " [COMMAND]";
  line += " [OPTIONS]";
  for (const OptionFacts& option : command.options) {
    if (option.positional.empty()) continue;
    const std::string name = option.is_list ? option.value : option.positional;
    line += option.required ? " " + name : " [" + name + "]";
  }
  return wrapped(line, 0, 7, width);
}

std::vector<std::string> groups_of(const CommandFacts& command) {
  std::vector<std::string> groups;
  for (const OptionFacts& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  // --help and the like come last where there are groups of its own.
  std::stable_partition(groups.begin(), groups.end(),
                        [](const auto& group) { return group != "Options"; });
  return groups;
}

}  // namespace

int help_width() {
  int columns = 0;
  winsize size{};
  if (const char* given = std::getenv("COLUMNS")) columns = std::atoi(given);
  if (columns <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns <= 0 ? usual_width : std::clamp(columns, least_width, most_width);
}

std::string help_page(const CommandFacts& command, int width) {
  std::string page = wrapped(command.help, 0, 0, width) + "\n" + usage(command, width);
  for (const std::string& group : groups_of(command)) {
    page += fmt::format("\n{}:\n", group);
    for (const OptionFacts& option : command.options) {
      if (option.group == group) page += option_entry(option, width);
    }
  }
  if (!command.commands.empty()) page += "\nCommands:\n";
  for (const CommandFacts& below : command.commands) page += entry(below.name, below.help, width);
  if (!command.footer.empty()) page += "\n" + command.footer + "\n";
  return page;
}

}  // namespace lufact
