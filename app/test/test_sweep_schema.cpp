// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schema of configurations beside what parsing accepts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;

json small_config() {
  return {{"name", "small"},
          {"options", {{"repetitions", 2}, {"warmup", "0"}}},
          {"matrices",
           {{{"generate", {{"kind", "grid2d"}, {"name", "g"}, {"nx", 5}}}},
            {{"file", "Group/absent"}, {"stand_in", {{"kind", "grid2d"}, {"name", "like-it"}}}}}},
          {"variants", {{{"mode", "cpu"}}, {{"name", "a"}, {"mode", "cpu"}}}}};
}

class SweepSchema : public testing::Test {
 protected:
  std::vector<std::string> faults(const json& config) const { return violations(schema_, config); }

  const json schema_ = json::parse(run_program({"sweep", "--print-schema"}).out);
};

TEST_F(SweepSchema, TakesEveryConfigurationThatIsThere) {
  std::size_t count = 0;
  for (const char* folder : {"/configs", "/configs/quick"}) {
    for (const auto& file :
         std::filesystem::directory_iterator(std::string(LUFACT_SOURCE_DIR) + folder)) {
      if (file.path().extension() != ".json") continue;
      EXPECT_THAT(faults(read_json(file.path().string())), testing::IsEmpty()) << file.path();
      ++count;
    }
  }
  EXPECT_GE(count, 40u);
  EXPECT_THAT(faults(small_config()), testing::IsEmpty());
}

TEST_F(SweepSchema, HasTheOptionsOfTheCommandLine) {
  const auto& options = schema_.at("definitions").at("run_options").at("properties");
  for (const char* name : {"repetitions", "ordering", "peer", "device-memory-limit", "until"}) {
    EXPECT_TRUE(options.contains(name)) << name;
  }
  for (const char* name : {"matrix", "mode", "output", "resume"}) {
    EXPECT_FALSE(options.contains(name)) << name;
  }
  EXPECT_EQ(options.at("precision").at("enum"), json({"double", "float"}));
  EXPECT_EQ(options.at("repetitions").at("minimum"), 1);
  EXPECT_TRUE(schema_.at("definitions").at("batch_options").at("properties").contains("layout"));
}

// What parsing refuses, the schema does too.
TEST_F(SweepSchema, RefusesWhatParsingRefuses) {
  std::vector<json> wrong(8, small_config());
  wrong[0].erase("name");
  wrong[1]["purpos"] = "a key that is not known";
  wrong[2]["options"]["repetition"] = 3;
  wrong[3]["options"]["until"] = "tomorrow";
  wrong[4]["options"]["repetitions"] = 0;
  wrong[5]["matrices"] = json::array();
  wrong[6]["matrices"][0]["file"] = "a file beside what is generated";
  wrong[7]["command"] = "fly";
  const TemporaryFolder folder;
  for (const json& config : wrong) {
    EXPECT_THAT(faults(config), testing::Not(testing::IsEmpty())) << config;
    std::ofstream(folder / "wrong.json") << config;
    EXPECT_EQ(run_program({"sweep", "--config", folder / "wrong.json", "--dry-run", "--no-forecast",
                           "--output-dir", folder / "out"})
                  .status,
              2)
        << config;
  }
}

}  // namespace
}  // namespace lufact::test
