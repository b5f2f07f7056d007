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
    const std::string name = peer.at("name");  // a plug-in and its variant, or a program
    const bool program = name.starts_with("superlu-dist-");
    names["--peer"].insert(program ? name : name.substr(0, name.find('-')));
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

// In a terminal of so many columns.
std::string help_in(const char* columns, const std::vector<std::string>& words) {
  setenv("COLUMNS", columns, 1);
  const Outcome help = run_program(words);
  unsetenv("COLUMNS");
  EXPECT_EQ(help.status, 0) << help.err;
  return help.out;
}

TEST(RunHelp, FitsTheTerminal) {
  for (const char* columns : {"50", "70", "100"}) {
    const std::string help = help_in(columns, {"run", "--help"});
    std::istringstream lines(help.substr(0, help.find("Examples:")));
    for (std::string line; std::getline(lines, line);) {
      // A word that is longer than a line stays whole.
      const bool one_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
      const bool is_option = line.starts_with("  -");
      EXPECT_TRUE(one_word || is_option || line.size() <= std::stoul(columns)) << line;
    }
  }
  EXPECT_EQ(help_in("400", {"run", "--help"}), help_in("100", {"run", "--help"}));
}

TEST(RunHelp, ShowsHowItIsTyped) {
  const std::string help = help_in("100", {"run", "--help"});
  for (const char* text :
       {"Usage: lufact run [OPTIONS] FILE,...\n", "\nExamples:\n  lufact run matrix.mtx\n",
        "  --verify residual|full|none=residual\n", "  --repetitions N=5  ", "  --quiet  "}) {
    EXPECT_NE(help.find(text), std::string::npos) << text << help;
  }
}

TEST(EveryCommand, HasHelpWithExamplesWhereItTakesMuch) {
  const std::string all = run_program({"man", "--plain"}).out;
  for (const char* command : {"run", "batch", "sweep", "list", "describe", "generate", "doctor",
                              "validate", "compare", "calibrate", "fetch", "completion", "man"}) {
    EXPECT_NE(all.find("Usage: lufact " + std::string(command) + " "), std::string::npos)
        << command;
  }
  for (const char* command : {"run", "batch", "sweep", "fetch", "completion"}) {
    const std::string help = run_program({command, "--help"}).out;
    EXPECT_NE(help.find("Examples:\n  "), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace lufact::test
