// SPDX-License-Identifier: BSD-3-Clause
#include "app/manual/command_facts.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace lufact {
namespace {

constexpr const char* list_ending = ",...";

// The alternatives of a value's name: "none|SIZE" has the word none and the name SIZE.
std::vector<std::string> alternatives(std::string value) {
  if (value.ends_with(list_ending)) value.resize(value.size() - std::string(list_ending).size());
  std::vector<std::string> found;
  std::istringstream parts(value);
  for (std::string part; std::getline(parts, part, '|');) found.push_back(part);
  return found;
}

// Words are written small, names of values in capitals.
bool is_word(const std::string& text) {
  return std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return std::isupper(c) != 0 || c == '.'; });
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

void add_value(const CLI::Option& option, const std::vector<std::string>& known,
               OptionFacts& facts) {
  facts.value = option.get_type_name();
  if (facts.value == "TEXT" && !known.empty()) facts.value = "NAME";
  facts.default_text = option.get_default_str();
  // Lists are told in brackets by the parser.
  if (facts.default_text.starts_with("[") && facts.default_text.ends_with("]")) {
    facts.default_text = facts.default_text.substr(1, facts.default_text.size() - 2);
  }
  facts.is_list = facts.value.find(list_ending) != std::string::npos;
  facts.repeated = option.get_expected_max() > 1;
  facts.kind = ValueKind::text;
  for (const std::string& part : alternatives(facts.value)) {
    if (is_word(part)) facts.words.push_back(part);
    if (part == "FILE") facts.kind = ValueKind::file;
    if (part == "FOLDER") facts.kind = ValueKind::folder;
  }
  facts.words.insert(facts.words.end(), known.begin(), known.end());
  if (facts.kind == ValueKind::text && !facts.words.empty()) facts.kind = ValueKind::words;
}

OptionFacts option_facts(const CLI::Option& option,
                         const std::map<std::string, std::vector<std::string>>& accepted) {
  OptionFacts facts;
  facts.names = names_of(option);
  if (option.get_positional()) facts.positional = option.get_name(true, false);
  facts.group = option.get_group();
  facts.help = option.get_description();
  facts.required = option.get_required();
  const std::string key = facts.names.empty() ? facts.positional : facts.names.back();
  const auto known = accepted.find(key);
  if (option.get_expected_max() == 0) return facts;  // a flag
  add_value(option, known == accepted.end() ? std::vector<std::string>{} : known->second, facts);
  if (facts.names.empty() && facts.kind == ValueKind::text) facts.kind = ValueKind::file;
  return facts;
}

}  // namespace

std::string OptionFacts::long_name() const {
  for (const std::string& name : names) {
    if (name.starts_with("--")) return name.substr(2);
  }
  return "";
}

CommandFacts command_facts(const CLI::App& command, const std::string& path,
                           const AcceptedWords& accepted) {
  CommandFacts facts;
  facts.name = command.get_name();
  facts.path = path;
  facts.help = command.get_description();
  facts.footer = command.get_footer();
  facts.needs_command = command.get_require_subcommand_min() > 0;
  const auto words = accepted.find(&command);
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    facts.options.push_back(option_facts(
        *option, words == accepted.end() ? std::map<std::string, std::vector<std::string>>{}
                                         : words->second));
  }
  for (const CLI::App* below : command.get_subcommands({})) {
    facts.commands.push_back(command_facts(*below, path + " " + below->get_name(), accepted));
  }
  return facts;
}

}  // namespace lufact
