// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/manual/completion.hpp"

namespace lufact {
namespace {

// Inside single quotes.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return "'" + result + "'";
}

// Behind `complete -c PROGRAM -n CONDITION`.
std::string value_of(const OptionFacts& option) {
  const std::string words = fmt::format("{}", fmt::join(option.words, " "));
  switch (option.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::file:
      return " -r -F";
    case ValueKind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::words:
      return option.is_list
                 ? fmt::format(" -x -a {}", quoted(fmt::format("(__fish_append , {})", words)))
                 : fmt::format(" -x -a {}", quoted(words));
    case ValueKind::text:
      return " -x";
  }
  return "";
}

std::string names_of(const OptionFacts& option) {
  std::string names;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    names += fmt::format(" -{} {}", is_long ? "l" : "s", name.substr(is_long ? 2 : 1));
  }
  return names;
}

std::string command_names(const CommandFacts& command) {
  std::string names;
  for (const CommandFacts& below : command.commands) names += " " + below.name;
  return names;
}

// Where the options and places of a command are completed, and where the commands below it are.
struct Conditions {
  std::string own, below;
};

Conditions conditions_of(const CommandFacts& command, const std::string& above) {
  const std::string own =
      (above.empty() ? "" : above + "; and ") + "__fish_seen_subcommand_from " + command.name;
  return {own, own + "; and not __fish_seen_subcommand_from" + command_names(command)};
}

void add_lines(const CommandFacts& command, const std::string& program, const Conditions& where,
               std::string& text) {
  const std::string head = fmt::format("complete -c {} -n {}", program, quoted(where.own));
  for (const OptionFacts& option : command.options) {
    if (!option.names.empty()) {
      text += head + names_of(option) + value_of(option) + " -d " + quoted(option.help) + "\n";
    }
    if (!option.positional.empty() && option.kind == ValueKind::file) text += head + " -F\n";
    if (!option.positional.empty() && option.kind == ValueKind::words) {
      text += head + value_of(option) + "\n";
    }
  }
  const bool is_program = command.name == command.path;
  for (const CommandFacts& below : command.commands) {
    text += fmt::format("complete -c {} -n {} -a {} -d {}\n", program, quoted(where.below),
                        below.name, quoted(below.help));
    add_lines(below, program, conditions_of(below, is_program ? "" : where.own), text);
  }
}

}  // namespace

std::string fish_completion(const CommandFacts& program) {
  std::string text = fmt::format(
      "# Completion of {0} for fish; {0} completion fish has written it.\ncomplete -c {0} -f\n",
      program.name);
  add_lines(program, program.name, {"__fish_use_subcommand", "__fish_use_subcommand"}, text);
  return text;
}

}  // namespace lufact
