// SPDX-License-Identifier: BSD-3-Clause
// What `lufact run --help` says options accept is what `lufact list` knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "app/test/command_line.hpp"

namespace lufact::test {
namespace {

using Names = std::set<std::string>;

// What the entry of an option says, from its line to the next entry or group, in one line.
std::string entry_of_help(const std::string& help, const std::string& option) {
  std::string entry;
  bool inside = false;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("    ")) inside = line.starts_with("  " + option + " ");
    std::istringstream words(inside ? line : "");
    for (std::string word; words >> word;) entry += word + ' ';
  }
  return entry;
}

// The names that close it, after the last colon that a blank follows.
Names names_in_help(const std::string& help, const std::string& option) {
  const std::string entry = entry_of_help(help, option);
  Names names;
  std::istringstream words(entry.substr(entry.rfind(": ") + 1));
  for (std::string word; words >> word;) {
    if (word != "|") names.insert(word);
  }
  return names;
}

// By the option that takes them.
std::map<std::string, Names> names_of_list() {
  const auto list = nlohmann::json::parse(run_program({"list", "--json"}).out);
  std::map<std::string, Names> names;
  for (const auto& mode : list.at("modes")) names["--mode"].insert(mode.at("name"));
  for (const auto& stage : list.at("stages")) {
    const std::string kind = stage.at("stage");
    if (kind != "selector") names["--" + kind].insert(stage.at("name"));
    for (const auto& method : stage.at("solve_methods")) names["--solve"].insert(method);
  }
  for (const auto& peer : list.at("peers")) {
    const std::string name = peer.at("name");
    names["--peer"].insert(name.substr(0, name.find('-')));
  }
  names["--dependency"] = {"exact", "relaxed", "glu1"};
  names["--mode"].insert({"auto", "none"});
  names["--solve"].insert("auto");
  names["--peer"].insert("exec:COMMAND");
  for (const char* option : {"--symbolic", "--levelize", "--numeric"}) {
    names[option].insert("select");
  }
  return names;
}

TEST(RunHelp, NamesWhatTheCatalogueHas) {
  const Outcome help = run_program({"run", "--help"});
  ASSERT_EQ(help.status, 0) << help.err;
  const auto expected = names_of_list();
  EXPECT_EQ(expected.size(), 9u);
  for (const auto& [option, names] : expected) {
    EXPECT_EQ(names_in_help(help.out, option), names) << option;
  }
}

TEST(RunHelp, ShowsGroupsTheCommonOnesFirst) {
  const std::string help = run_program({"run", "--help"}).out;
  std::size_t last = 0;
  for (const char* group : {"What runs:", "Measuring:", "Machine and memory:", "Output:",
                            "Pipeline:", "Input:", "Single stages:"}) {
    const std::size_t found = help.find(std::string("\n") + group);
    ASSERT_NE(found, std::string::npos) << group;
    EXPECT_GT(found, last) << group;
    last = found;
  }
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace lufact::test
