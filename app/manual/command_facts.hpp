// SPDX-License-Identifier: BSD-3-Clause
// What is to be said of a command and its options, taken from the parser: the one source of
// --help, of the manual page and of the completions of shells.
#pragma once
#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace lufact {

// What a shell completes behind an option.
enum class ValueKind { none, text, words, file, folder };

struct OptionFacts {
  std::vector<std::string> names;  // "-h", "--help"; empty: it has no name, only a place
  std::string positional;          // what it is called in its place: FILE; empty: it needs its name
  std::string group, help;
  std::string value;  // "N", "none|SIZE", "MODE,..."; empty for a flag
  std::string default_text;
  bool required = false;
  bool repeated = false;  // may be given several times, or take several words
  bool is_list = false;   // names with commas between them
  ValueKind kind = ValueKind::none;
  std::vector<std::string> words;  // that it accepts, where they are known

  std::string long_name() const;  // without dashes; empty where there is none
};

struct CommandFacts {
  std::string name, path;  // "run", "lufact run"
  std::string help, footer;
  std::vector<OptionFacts> options;  // in the order of declaration
  std::vector<CommandFacts> commands;
  bool needs_command = false;
};

// Words that an option or a place accepts and its declaration does not list, by its name, for each
// command.
using AcceptedWords = std::map<const CLI::App*, std::map<std::string, std::vector<std::string>>>;

// `path`: what is typed before the command, its own name included.
CommandFacts command_facts(const CLI::App& command, const std::string& path,
                           const AcceptedWords& accepted);

}  // namespace lufact
