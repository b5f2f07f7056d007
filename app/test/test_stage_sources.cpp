// SPDX-License-Identifier: BSD-3-Clause
// Every stage of `lufact list` is found from its name: the folder that it names holds a source with
// that name in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/test/command_line.hpp"

namespace lufact::test {
namespace {

namespace fs = std::filesystem;

bool file_names(const fs::path& file, const std::string& name) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return text.find('"' + name + '"') != std::string::npos;
}

bool folder_names(const fs::path& folder, const std::string& name) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && file_names(entry.path(), name)) return true;
  }
  return false;
}

TEST(StageSources, EveryStageNamesTheFolderThatHoldsIt) {
  const auto list = nlohmann::json::parse(run_program({"list", "--json"}).out);
  const std::string text = run_program({"list", "--verbose"}).out;
  ASSERT_FALSE(list.at("stages").empty());
  ASSERT_FALSE(list.at("array_stages").empty());
  auto stages = list.at("stages");
  for (const auto& stage : list.at("array_stages")) stages.push_back(stage);
  for (const auto& stage : stages) {
    const std::string name = stage.at("name"), source = stage.at("source");
    SCOPED_TRACE(source + " " + name);
    ASSERT_FALSE(source.empty());
    const fs::path folder = fs::path(LUFACT_SOURCE_DIR) / source;
    ASSERT_TRUE(fs::is_directory(folder)) << source;
    EXPECT_TRUE(folder_names(folder, name)) << "no file of " << source << " says \"" << name << '"';
    EXPECT_THAT(text, testing::HasSubstr("source: " + source + "\n"));
  }
}

TEST(StageSources, AreNotPartOfTheShortList) {
  EXPECT_THAT(run_program({"list"}).out, testing::Not(testing::HasSubstr("source: ")));
}

}  // namespace
}  // namespace lufact::test
