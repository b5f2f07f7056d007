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

bool has_option(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw(name) != nullptr;
}

std::string unknown_command(const Typed& typed, const std::string& word) {
  const Words known = command_names(*typed.command);
  const bool outermost = typed.command->get_parent() == nullptr;
  const std::string meant = has_option(*typed.command, "--" + word)
                                ? fmt::format(" (did you mean '--{}'?)", word)
                                : did_you_mean(word, known);
  return fmt::format("unknown {} '{}'{}; {}: {}", outermost ? "command" : "kind", word, meant,
                     outermost ? "commands" : "kinds", fmt::join(known, ", "));
}

// " (did you mean '--mode'?)", or which other command takes an option of this name.
std::string meant_option(const Typed& typed, const std::string& option) {
  const std::string near = did_you_mean(option, option_names(*typed.command));
  if (!near.empty() || typed.command->get_parent() == nullptr) return near;
  Words others;
  for (const CLI::App* other : typed.command->get_parent()->get_subcommands({})) {
    if (has_option(*other, option)) others.push_back("lufact " + other->get_name());
  }
  if (others.empty()) return {};
  return fmt::format(" ({} {} it)", fmt::join(others, " and "),
                     others.size() == 1 ? "has" : "have");
}

std::string unexpected_word(const Typed& typed, const Words& left) {
  const auto is_left = [&](const auto& word) {
    return std::find(left.begin(), left.end(), word) != left.end();
  };
  // The first of those left, in the order in which they were typed.
  auto first = std::find_if(typed.rest.begin(), typed.rest.end(), is_left);
  // Behind a command an option before a word: the value of an option that is not known may be that
  // of one that is.
  if (typed.command->get_subcommands({}).empty()) {
    const auto option = std::find_if(first, typed.rest.end(), [&](const auto& word) {
      return word.starts_with("-") && is_left(word);
    });
    if (option != typed.rest.end()) first = option;
  }
  const std::string word = first == typed.rest.end() ? left.front() : *first;
  if (word.starts_with("-")) {
    const std::string option = option_of(word);
    return fmt::format("unknown option '{}'{}", option, meant_option(typed, option));
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

// The first option that must be there and is not; null where there is none.
const CLI::Option* first_missing(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_required() && option->count() == 0) return option;
  }
  return nullptr;
}

// By its place where it has one.
std::string name_of(const CLI::Option& option) {
  return option.get_positional() ? option.get_name(true, false) : option.get_name(false, false);
}

std::string reason(const Typed& typed, const CLI::App& app, const CLI::ParseError& error) {
  const Words left = app.remaining(true);
  const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool lacks = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (lacks && typed.command->get_require_subcommand_min() > 0) return command_is_missing(typed);
  // What is missing may be there under a wrong name.
  if (!left.empty() && (extras || lacks)) return unexpected_word(typed, left);
  if (const CLI::Option* missing = lacks ? first_missing(*typed.command) : nullptr) {
    return fmt::format("{} is missing: {}", name_of(*missing), missing->get_description());
  }
  return error.what();
}

}  // namespace

std::optional<std::string> unknown_command_message(const CLI::App& app, const Words& words) {
  const Typed typed = typed_command(app, words);
  if (typed.command->get_subcommands({}).empty()) return std::nullopt;
  if (typed.rest.empty() || typed.rest.front().starts_with("-")) return std::nullopt;
  return fmt::format("lufact: {}\n", unknown_command(typed, typed.rest.front()));
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error, const Words& words) {
  const Typed typed = typed_command(app, words);
  return fmt::format("lufact: {}\n{} --help says what is accepted\n", reason(typed, app, error),
                     typed.path);
}

}  // namespace lufact
