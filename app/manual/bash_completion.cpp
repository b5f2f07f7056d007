// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/manual/completion.hpp"

namespace lufact {
namespace {

using Words = std::vector<std::string>;

// The parts that are the same for every program. Readline breaks words at '=' and ':', so the
// current word is put together again from COMP_LINE's words.
constexpr const char* helpers = R"(
# Puts into COMPREPLY the words of $2 that begin as $1 does.
_lufact_words() {
  COMPREPLY=($(compgen -W "$2" -- "$1"))
}

# The same for the last name of a list with commas between its names.
_lufact_list() {
  local done='' last="$1" word
  case "$1" in *,*) done="${1%,*},"; last="${1##*,}" ;; esac
  COMPREPLY=()
  for word in $(compgen -W "$2" -- "$last"); do COMPREPLY+=("$done$word"); done
}

_lufact_files() {
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$2" -- "$1"))
}
)";

// Inside double quotes.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '$' || c == '`') result += '\\';
    result += c;
  }
  return "\"" + result + "\"";
}

std::string joined(const Words& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string action_of(const OptionFacts& option) {
  switch (option.kind) {
    case ValueKind::file:
      return "_lufact_files \"$current\" -f";
    case ValueKind::folder:
      return "_lufact_files \"$current\" -d";
    case ValueKind::words:
      return fmt::format("{} \"$current\" {}", option.is_list ? "_lufact_list" : "_lufact_words",
                         quoted(joined(option.words)));
    default:
      return "COMPREPLY=()";  // nothing can be said of it
  }
}

// What completes behind the options of a command, by the word before.
std::string values_of(const CommandFacts& command) {
  std::string cases;
  for (const OptionFacts& option : command.options) {
    if (option.kind == ValueKind::none || option.names.empty()) continue;
    cases +=
        fmt::format("        {}) {}; return ;;\n", fmt::join(option.names, "|"), action_of(option));
  }
  if (cases.empty()) return "";
  return fmt::format("      case \"$previous\" in\n{}      esac\n", cases);
}

std::string words_of(const CommandFacts& command) {
  Words options, places;
  std::string place;
  for (const OptionFacts& option : command.options) {
    options.insert(options.end(), option.names.begin(), option.names.end());
    if (!option.positional.empty() && place.empty()) place = action_of(option);
  }
  for (const CommandFacts& below : command.commands) places.push_back(below.name);
  if (!places.empty()) {
    place = fmt::format("_lufact_words \"$current\" {}", quoted(joined(places)));
  }
  if (place.empty()) place = "COMPREPLY=()";
  return fmt::format(
      "      case \"$current\" in\n"
      "        -*) _lufact_words \"$current\" {} ;;\n"
      "        *) {} ;;\n"
      "      esac\n",
      quoted(joined(options)), place);
}

void add_cases(const CommandFacts& command, std::string& cases) {
  cases += fmt::format("    {})\n{}{}      ;;\n", quoted(command.path), values_of(command),
                       words_of(command));
  for (const CommandFacts& below : command.commands) add_cases(below, cases);
}

void add_paths(const CommandFacts& command, Words& paths) {
  paths.push_back(quoted(command.path));
  for (const CommandFacts& below : command.commands) add_paths(below, paths);
}

}  // namespace

std::string bash_completion(const CommandFacts& program) {
  std::string cases;
  add_cases(program, cases);
  Words below;
  for (const CommandFacts& command : program.commands) add_paths(command, below);
  return fmt::format(
      "# Completion of {0} for bash; {0} completion bash has written it.\n{1}\n"
      "_{0}() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" previous=''\n"
      "  local path={2} word k\n"
      "  ((COMP_CWORD > 0)) && previous=\"${{COMP_WORDS[COMP_CWORD - 1]}}\"\n"
      "  # --option=value comes as three words\n"
      "  if [[ $current == '=' ]]; then\n"
      "    current=''\n"
      "  elif [[ $previous == '=' ]]; then\n"
      "    previous=\"${{COMP_WORDS[COMP_CWORD - 2]}}\"\n"
      "  fi\n"
      "  for ((k = 1; k < COMP_CWORD; k++)); do\n"
      "    word=\"$path ${{COMP_WORDS[k]}}\"\n"
      "    case \"$word\" in\n"
      "      {3}) path=\"$word\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$path\" in\n{4}"
      "  esac\n"
      "}}\n\n"
      "complete -F _{0} {0}\n",
      program.name, helpers, quoted(program.name), fmt::join(below, "|"), cases);
}

}  // namespace lufact
