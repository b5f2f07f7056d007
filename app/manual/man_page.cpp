// SPDX-License-Identifier: BSD-3-Clause
#include "app/manual/man_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace lufact {
namespace {

// Text as roff takes it: backslashes and dashes escaped, no line that begins as a request does.
std::string escaped(const std::string& text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_begins = c == '\n';
  }
  return result;
}

std::string capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// An argument of a request that has blanks in it.
std::string quoted(const std::string& text) {
  std::string inner;
  for (const char c : escaped(text)) inner += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return "\"" + inner + "\"";
}

std::string option_item(const OptionFacts& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + escaped(name) + "\\fR");
  if (names.empty()) names.push_back("\\fI" + escaped(option.positional) + "\\fR");
  std::string head = fmt::format("{}", fmt::join(names, ", "));
  if (!option.names.empty() && !option.value.empty()) {
    head += " \\fI" + escaped(option.value) + "\\fR";
  }
  std::string text = escaped(option.help);
  if (!option.default_text.empty()) text += " (default: " + escaped(option.default_text) + ")";
  if (option.required) text += " (required)";
  return fmt::format(".TP\n{}\n{}\n", head, text);
}

// --help stands once, in the page of the program.
bool is_worth_telling(const CommandFacts& command, const OptionFacts& option) {
  return option.long_name() != "help" || command.name == command.path;
}

std::string options_of(const CommandFacts& command) {
  std::string text;
  for (const OptionFacts& option : command.options) {
    if (is_worth_telling(command, option)) text += option_item(option);
  }
  return text;
}

// "Examples:\n  lufact run a.mtx": a title, and lines as they are typed.
std::string examples_of(const CommandFacts& command) {
  if (command.footer.empty()) return "";
  std::istringstream lines(command.footer);
  std::string title, text;
  std::getline(lines, title);
  for (std::string line; std::getline(lines, line);) text += escaped(line) + "\n";
  return fmt::format(".PP\n{}\n.PP\n.nf\n{}.fi\n", escaped(title), text);
}

std::string places_of(const CommandFacts& command) {
  std::string places;
  for (const OptionFacts& option : command.options) {
    if (option.positional.empty()) continue;
    const std::string name = option.is_list ? option.value : option.positional;
    const std::string place = "\\fI" + escaped(name) + "\\fR";
    places += option.required ? " " + place : " [" + place + "]";
  }
  return places;
}

std::string section_of(const CommandFacts& command) {
  std::string text =
      fmt::format(".SH {}\n{}.\n", quoted(capitals(command.path)), escaped(command.help));
  if (command.commands.empty()) {
    text += fmt::format(".PP\n\\fB{}\\fR [\\fIOPTIONS\\fR]{}\n", escaped(command.path),
                        places_of(command));
  }
  text += options_of(command);
  for (const CommandFacts& below : command.commands) {
    text +=
        fmt::format(".SS {}\n{}.\n{}", quoted(below.path), escaped(below.help), options_of(below));
  }
  return text + examples_of(command);
}

std::string synopsis_of(const CommandFacts& program) {
  std::string text = ".SH SYNOPSIS\n";
  for (const CommandFacts& command : program.commands) {
    text += fmt::format(".br\n\\fB{}\\fR{} [\\fIOPTIONS\\fR]{}\n", escaped(command.path),
                        command.commands.empty() ? "" : " \\fIKIND\\fR", places_of(command));
  }
  return text;
}

constexpr const char* exit_statuses =
    ".SH EXIT STATUS\n"
    ".TP\n0\nall runs ok\n"
    ".TP\n1\ninternal error\n"
    ".TP\n2\nwrong usage\n"
    ".TP\n3\nat least one run not ok; a comparison found something slower, or "
    "nothing to compare\n"
    ".TP\n4\nno input file could be read\n"
    ".TP\n130\ninterrupted by SIGINT, SIGTERM or SIGHUP, with a valid result file\n";

constexpr const char* environment =
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBLUFACT_RATES\\fR\nFile of rates, as \\fBlufact calibrate\\fR writes it, or a name of "
    "a shipped set\n"
    ".TP\n\\fBLUFACT_PEER_PATH\\fR\nFolders with further plug\\-ins of foreign solvers\n"
    ".TP\n\\fBLUFACT_NCCL_ROOT\\fR\nFolder of libnccl.so.2, or of lib/libnccl.so.2, for "
    "\\fB\\-\\-exchange nccl\\fR\n"
    ".TP\n\\fBLUFACT_PEAKS\\fR\nFile of peaks, as \\fBlufact doctor \\-\\-measure\\fR writes it; "
    "default "
    "\\fIlufact/peaks.json\\fR in the cache folder\n"
    ".TP\n\\fBLUFACT_DEVICE_MEMORY\\fR\nWhere a session has device memory from: \\fIheap\\fR, "
    "by 2 MiB (default), or \\fIpool\\fR, the stream\\-ordered pool of CUDA\n"
    ".TP\n\\fBXDG_CACHE_HOME\\fR\nWhere \\fIlufact/matrices\\fR keeps downloaded matrices; "
    "default \\fI~/.cache\\fR\n"
    ".TP\n\\fBNO_COLOR\\fR\nNo colours on the terminal\n";

}  // namespace

std::string man_page(const CommandFacts& program, const std::string& version) {
  std::string page = fmt::format(".TH {} 1 \"\" {} {}\n", quoted(capitals(program.name)),
                                 quoted(program.name + " " + version), quoted("User Commands"));
  page += fmt::format(".SH NAME\n{} \\- {}\n", escaped(program.name),
                      escaped(program.help.substr(program.help.find(": ") + 2)));
  page += synopsis_of(program);
  page += ".SH OPTIONS\n" + options_of(program);
  for (const CommandFacts& command : program.commands) page += section_of(command);
  return page + exit_statuses + environment;
}

}  // namespace lufact
