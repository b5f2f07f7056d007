// SPDX-License-Identifier: BSD-3-Clause
#include "app/manual/usage_message.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/suggestion.hpp"

namespace lufact {
namespace {

using Words = std::vector<std::string>;

// The command that was typed, as far as it is known, and the words behind it.
struct Typed {
  const CLI::App* command;
  std::string path;
  Words rest;
};

const CLI::App* command_named(const CLI::App& above, const std::string& name) {
  for (const CLI::App* below : above.get_subcommands({})) {
    if (below->get_name() == name) return below;
  }
  return nullptr;
}

Typed typed_command(const CLI::App& app, const Words& words) {
  Typed typed{&app, app.get_name(), {words.begin() + 1, words.end()}};
  for (auto word = typed.rest.begin(); word != typed.rest.end();) {
    const CLI::App* below = command_named(*typed.command, *word);
    if (below == nullptr && word->starts_with("-")) {
      ++word;  // of the command above
      continue;
    }
    if (below == nullptr) break;
    typed.command = below;
    typed.path += " " + below->get_name();
    word = typed.rest.erase(typed.rest.begin(), word + 1);
  }
  return typed;
}

Words command_names(const CLI::App& command) {
  Words names;
  for (const CLI::App* below : command.get_subcommands({})) names.push_back(below->get_name());
  return names;
}

Words option_names(const CLI::App& command) {
  Words names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// "--mode=cpu" is the option --mode.
std::string option_of(const std::string& word) {
  return word.substr(0, word.find('='));
}

std::string unknown_command(const Typed& typed, const std::string& word) {
  const Words known = command_names(*typed.command);
  const bool outermost = typed.command->get_parent() == nullptr;
  return fmt::format("unknown {} '{}'{}; {}: {}", outermost ? "command" : "kind", word,
                     did_you_mean(word, known), outermost ? "commands" : "kinds",
                     fmt::join(known, ", "));
}

std::string unexpected_word(const Typed& typed, const Words& left) {
  // The first of those left, in the order in which they were typed. An option before a word: the
  // same word may stand elsewhere as the value of an option that is known.
  const auto is_left = [&](const auto& word) {
    return std::find(left.begin(), left.end(), word) != left.end();
  };
  auto first = std::find_if(typed.rest.begin(), typed.rest.end(), [&](const auto& word) {
    return word.starts_with("-") && is_left(word);
  });
  if (first == typed.rest.end()) {
    first = std::find_if(typed.rest.begin(), typed.rest.end(), is_left);
  }
  const std::string word = first == typed.rest.end() ? left.front() : *first;
  if (word.starts_with("-")) {
    const std::string option = option_of(word);
    return fmt::format("unknown option '{}'{}", option,
                       did_you_mean(option, option_names(*typed.command)));
  }
  if (!typed.command->get_subcommands({}).empty()) return unknown_command(typed, word);
  return fmt::format("'{}' was not expected here", word);
}

std::string command_is_missing(const Typed& typed) {
  const auto word = std::find_if(typed.rest.begin(), typed.rest.end(),
                                 [](const auto& text) { return !text.starts_with("-"); });
  if (word != typed.rest.end()) return unknown_command(typed, *word);
  return fmt::format("a kind is missing; kinds: {}",
                     fmt::join(command_names(*typed.command), ", "));
}

std::string reason(const Typed& typed, const CLI::App& app, const CLI::ParseError& error) {
  const Words left = app.remaining(true);
  const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool lacks = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (lacks && typed.command->get_require_subcommand_min() > 0) return command_is_missing(typed);
  // What is missing may be there under a wrong name.
  if (!left.empty() && (extras || lacks)) return unexpected_word(typed, left);
  return error.what();
}

}  // namespace

std::string usage_message(const CLI::App& app, const CLI::ParseError& error, const Words& words) {
  const Typed typed = typed_command(app, words);
  return fmt::format("lufact: {}\n{} --help says what is accepted\n", reason(typed, app, error),
                     typed.path);
}

}  // namespace lufact
