// SPDX-License-Identifier: BSD-3-Clause
// A workload whose inputs are no files goes through everything that is not its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class SecondWorkload : public testing::Test {
 protected:
  Outcome sums(const std::vector<std::string>& options) const {
    std::vector<std::string> command{"sums", "--output", folder_ / "sums.json"};
    command.insert(command.end(), options.begin(), options.end());
    return run_program(command);
  }

  Outcome sweep(const json& config, const std::vector<std::string>& options = {}) const {
    std::ofstream(folder_ / "config.json") << config.dump();
    std::vector<std::string> command{"sweep", "--config", folder_ / "config.json", "--output-dir",
                                     folder_ / "out"};
    command.insert(command.end(), options.begin(), options.end());
    return run_program(command);
  }

  json valid_result(const std::string& name) const {
    const Outcome valid = run_program({"validate", folder_ / name});
    EXPECT_EQ(valid.status, 0) << valid.err;
    return read_json(folder_ / name);
  }

  TemporaryFolder folder_;
};

json small_sweep() {
  return {{"name", "small"},
          {"purpose", "a test"},
          {"command", "sums"},
          {"options", {{"repetitions", 2}}},
          {"inputs",
           {{{"generate", {{"kind", "uniform"}, {"name", "short"}, {"n", 10}}}},
            {{"generate", {{"kind", "uniform"}, {"name", "long"}, {"n", 1000}, {"seed", 2}}}}}},
          {"variants", {{{"mode", "forward"}}, {{"name", "pairs"}, {"mode", "pairwise"}}}}};
}

TEST_F(SecondWorkload, TakesTurnsAndIsRecordedWithSectionsThatAreNull) {
  const Outcome outcome = sums({"--size", "100,200", "--mode", "forward,pairwise"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("uniform 100"), HasSubstr("pairwise"),
                                 HasSubstr("numeric"), testing::Not(HasSubstr("levels"))));
  const json result = valid_result("sums.json");
  ASSERT_EQ(result["runs"].size(), 4u);
  const json& run = result["runs"][1];
  EXPECT_EQ(run["workload"], "sums");
  EXPECT_EQ(run["variant"], "pairwise");
  EXPECT_EQ(run["input"]["name"], "uniform 100");
  EXPECT_EQ(run["input"]["entries"], 100);
  EXPECT_TRUE(run["input"]["path"].is_null());
  EXPECT_EQ(run["samples"].size(), 5u);
  EXPECT_EQ(run["samples"][0]["total_s"], run["summary"]["numeric"]["n"] == 5
                                              ? run["samples"][0]["phases"][1]["wall_s"]
                                              : json());
  for (const char* section : {"matrix", "pipeline", "factors", "numeric", "unified_memory"}) {
    EXPECT_TRUE(run[section].is_null()) << section;
  }
  EXPECT_EQ(result["comparisons"][0]["base_id"], result["runs"][0]["id"]);
}

TEST_F(SecondWorkload, EndsWithARecordHoweverItFails) {
  EXPECT_EQ(sums({"--size", "100", "--mode", "wrong,crash,forward"}).status, 3);
  const json runs = valid_result("sums.json").at("runs");
  EXPECT_EQ(runs[0]["outcome"], "inaccurate");
  EXPECT_EQ(runs[1]["error"]["code"], "worker_died");
  EXPECT_EQ(runs[1]["samples"].size(), 1u);
  EXPECT_EQ(runs[2]["outcome"], "ok");
  EXPECT_EQ(sums({"--size", "100", "--mode", "sideways"}).status, 2);
}

TEST_F(SecondWorkload, ItsWorkersOpenOneInputAfterTheOtherWherePlansAllowIt) {
  EXPECT_EQ(sums({"--size", "10,20,30", "--mode", "forward,pairwise,pairwise"}).status, 0);
  std::vector<int> opened;
  const json runs = valid_result("sums.json").at("runs");
  for (const json& run : runs) {
    opened.push_back(run.at("memory").at("chunks").get<int>());
  }
  EXPECT_THAT(opened, testing::ElementsAre(1, 1, 1, 1, 2, 2, 1, 3, 3));
}

TEST_F(SecondWorkload, IsSweptAndResumed) {
  const Outcome dry = sweep(small_sweep(), {"--dry-run"});
  EXPECT_THAT(dry.out, AllOf(HasSubstr("2 inputs, 2 variants, 4 runs"), HasSubstr("add pairwise"),
                             HasSubstr("generated: uniform --n 1000 --seed 2")));
  EXPECT_EQ(sweep(small_sweep(), {"--segments", "2", "--segment", "1"}).status, 0);
  EXPECT_EQ(sweep(small_sweep()).status, 0);
  const json runs = valid_result("out/small.json").at("runs");
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[3]["sweep"]["matrix"], "long");
  EXPECT_EQ(runs[3]["sweep"]["variant"], "pairs");
  // Another seed is another input: its runs alone are made again.
  json config = small_sweep();
  config["inputs"][1]["generate"]["seed"] = 3;
  const Outcome again = sweep(config, {"--resume"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("2 of 4 runs are done already"));
  const json resumed = valid_result("out/small.json").at("runs");
  EXPECT_EQ(resumed[0], runs[0]);
  EXPECT_NE(resumed[3]["input"]["sha256"], runs[3]["input"]["sha256"]);
}

TEST_F(SecondWorkload, IsComparedByInputAndVariant) {
  EXPECT_EQ(sweep(small_sweep()).status, 0);
  std::filesystem::rename(folder_ / "out/small.json", folder_ / "before.json");
  json config = small_sweep();
  config["inputs"][0]["generate"]["seed"] = 7;
  EXPECT_EQ(sweep(config).status, 0);
  const Outcome outcome =
      run_program({"compare", folder_ / "before.json", folder_ / "out/small.json"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("long"), HasSubstr("pairs"), HasSubstr("numeric"),
                                 HasSubstr("short forward: not compared: the inputs differ")));
}

TEST_F(SecondWorkload, IsNamedInASweepByItsCommand) {
  json config = small_sweep();
  config["command"] = "teapot";
  EXPECT_THAT(sweep(config).err, AllOf(HasSubstr("command"), HasSubstr("run, batch, dense, sums")));
  config = small_sweep();
  config["matrices"] = config["inputs"];
  EXPECT_THAT(sweep(config).err, HasSubstr("unknown key 'matrices'"));
  config = small_sweep();
  config["inputs"][0]["generate"]["kind"] = "teapot";
  EXPECT_THAT(sweep(config).err, AllOf(HasSubstr("inputs[0].generate"), HasSubstr("uniform")));
}

TEST_F(SecondWorkload, IsUnknownToAProgramWithoutIt) {
  EXPECT_EQ(sums({"--size", "10"}).status, 0);
  json other = read_json(folder_ / "sums.json");
  other["runs"][0]["workload"] = "products";
  std::ofstream(folder_ / "other.json") << other.dump();
  const Outcome outcome = run_program({"validate", folder_ / "other.json"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("workload products is not known"));
}

TEST_F(SecondWorkload, LeavesTheFirstAsItIs) {
  const std::string matrix = generate(folder_, "grid.mtx", {"grid2d", "--nx", "5", "--ny", "4"});
  EXPECT_EQ(
      run_program({"run", "--matrix", matrix, "--mode", "cpu", "--output", folder_ / "sparse.json"})
          .status,
      0);
  EXPECT_EQ(valid_result("sparse.json")["runs"][0]["workload"], "sparse");
}

}  // namespace
}  // namespace lufact::test
