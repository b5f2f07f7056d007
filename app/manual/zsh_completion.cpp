// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/manual/completion.hpp"

namespace lufact {
namespace {

// Inside single quotes, as a part of a specification of _arguments or _describe.
std::string escaped(const std::string& text, const char* special) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (std::string_view(special).find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string action_of(const OptionFacts& option) {
  const std::string words = escaped(fmt::format("{}", fmt::join(option.words, " ")), ":()[]");
  switch (option.kind) {
    case ValueKind::file:
      return "_files";
    case ValueKind::folder:
      return "_files -/";
    case ValueKind::words:
      return option.is_list ? fmt::format("_sequence compadd - {}", words)
                            : fmt::format("({})", words);
    default:
      return " ";
  }
}

std::string function_of(const CommandFacts& command) {
  std::string name;
  for (const char c : command.path) name += c == ' ' ? '_' : c;
  return "_" + name;
}

// 'NAME[what it does]:value:action', once for each name.
std::string option_specs(const OptionFacts& option) {
  std::string specs;
  for (const std::string& name : option.names) {
    const std::string several = option.repeated ? "*" : "";
    // --name VALUE and --name=VALUE
    const bool equals = option.kind != ValueKind::none && name.starts_with("--");
    specs += fmt::format(" \\\n    '{}{}{}[{}]", several, name, equals ? "=" : "",
                         escaped(option.help, "[]:\\"));
    if (option.kind != ValueKind::none) {
      specs += fmt::format(":{}:{}", escaped(option.value, ":\\"), action_of(option));
    }
    specs += "'";
  }
  return specs;
}

std::string place_spec(const OptionFacts& option) {
  return fmt::format(" \\\n    '{}:{}:{}'", option.repeated ? "*" : "",
                     escaped(option.positional, ":\\"), action_of(option));
}

std::string arguments_of(const CommandFacts& command) {
  std::string specs;
  for (const OptionFacts& option : command.options) specs += option_specs(option);
  if (!command.commands.empty()) {
    return specs + " \\\n    '1: :->command' \\\n    '*:: :->below'";
  }
  for (const OptionFacts& option : command.options) {
    if (!option.positional.empty()) specs += place_spec(option);
  }
  return specs;
}

std::string below(const CommandFacts& command) {
  std::string names, cases;
  for (const CommandFacts& one : command.commands) {
    names += fmt::format("\n        '{}:{}'", one.name, escaped(one.help, ":\\"));
    cases += fmt::format("\n        {}) {} ;;", one.name, function_of(one));
  }
  return fmt::format(
      "  case $state in\n"
      "    command)\n"
      "      local -a commands=({})\n"
      "      _describe command commands\n"
      "      ;;\n"
      "    below)\n"
      "      case $words[1] in{}\n"
      "      esac\n"
      "      ;;\n"
      "  esac\n",
      names, cases);
}

void add_functions(const CommandFacts& command, std::string& text) {
  text += fmt::format(
      "\n{}() {{\n"
      "  local curcontext=\"$curcontext\" state line\n"
      "  typeset -A opt_args\n"
      "  _arguments -C{}\n{}}}\n",
      function_of(command), arguments_of(command), command.commands.empty() ? "" : below(command));
  for (const CommandFacts& one : command.commands) add_functions(one, text);
}

}  // namespace

std::string zsh_completion(const CommandFacts& program) {
  std::string text =
      fmt::format("#compdef {0}\n# Completion of {0} for zsh; {0} completion zsh has written it.\n",
                  program.name);
  add_functions(program, text);
  // Loaded by compinit the file is the function itself; sourced it says what it is for.
  return text + fmt::format(
                    "\nif [ \"$funcstack[1]\" = \"_{0}\" ]; then\n  _{0} \"$@\"\nelse\n"
                    "  compdef _{0} {0}\nfi\n",
                    program.name);
}

}  // namespace lufact
