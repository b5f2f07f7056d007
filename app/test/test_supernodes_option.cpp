// SPDX-License-Identifier: BSD-3-Clause
// `lufact run --supernodes`, from the outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string write_grid(const TemporaryFolder& folder) {
  std::string path = folder / "grid.mtx";
  EXPECT_EQ(
      run_program({"generate", "grid2d", "--nx", "12", "--ny", "12", "--output", path}).status, 0);
  return path;
}

TEST(Supernodes, NoOptionIsIgnoredInSilence) {
  const TemporaryFolder folder;
  const std::string grid = write_grid(folder);
  const Outcome search =
      run_program({"run", grid, "--mode", "cpu", "--gsofa-windows", "on", "--gsofa-budget", "1GB"});
  EXPECT_EQ(search.status, 2);
  EXPECT_THAT(search.err, HasSubstr("--gsofa-windows, --gsofa-budget is read by"));
  const Outcome fronts = run_program({"run", grid, "--mode", "fast-cpu", "--supernodes", "t3"});
  EXPECT_EQ(fronts.status, 2);
  EXPECT_THAT(fronts.err, HasSubstr("column-pattern"));
}

TEST(Devices, AreRefusedWhereNoStageTakesSeveral) {
  const TemporaryFolder folder;
  const std::string grid = write_grid(folder);
  const Outcome fast = run_program({"run", grid, "--mode", "fast", "--devices", "0,1"});
  EXPECT_EQ(fast.status, 2);
  EXPECT_THAT(fast.err, HasSubstr("no stage of this chain takes several devices"));
  EXPECT_THAT(fast.err, HasSubstr("accepted: --symbolic gpu-gsofa"));
  const Outcome twice = run_program({"run", grid, "--mode", "gsofa", "--devices", "0,0"});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("names 0 twice"));
  const Outcome machine = run_program({"run", grid, "--mode", "ooc", "--gsofa-virtual", "2x2"});
  EXPECT_EQ(machine.status, 2);
  EXPECT_THAT(machine.err, HasSubstr("--gsofa-virtual is read by --symbolic gpu-gsofa alone"));
}

TEST(Supernodes, GsofaHasItsOwnSize) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"run", write_grid(folder), "--mode", "gsofa", "--supernodes",
                                       "t3", "--supernode-size", "16"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("use --gsofa-chunk-size"));
}

TEST(Supernodes, BehindEveryHostStageAreTheSame) {
  const TemporaryFolder folder;
  const std::string grid = write_grid(folder);
  nlohmann::json first;
  for (const char* symbolic : {"cpu-gp-pruned", "cpu-parallel", "cpu-glu3", "cpu-fill2"}) {
    const std::string output = folder / (std::string(symbolic) + ".json");
    const Outcome outcome =
        run_program({"run", grid, "--mode", "cpu", "--symbolic", symbolic, "--until", "symbolic",
                     "--supernodes", "t3", "--supernode-size", "16", "--repetitions", "1",
                     "--verify", "full", "--output", output, "--quiet"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const nlohmann::json file = read_json(output);
    EXPECT_THAT(schema_violations(file), IsEmpty());
    EXPECT_THAT(consistency_violations(file, {sparse_facts()}), IsEmpty());
    const nlohmann::json& run = file["runs"][0];
    const nlohmann::json& supernodes = run["supernodes"];
    EXPECT_EQ(supernodes["max_size"], 16);
    EXPECT_EQ(run["factors"]["supernodes"], supernodes["count"]);
    EXPECT_THAT(run["verification"]["method"].get<std::string>(), HasSubstr("supernodes"));
    EXPECT_THAT(run["samples"][0]["phases"].dump(), HasSubstr("symbolic/supernodes"));
    if (first.is_null()) first = supernodes;
    EXPECT_EQ(supernodes, first) << symbolic;
  }
}

TEST(Supernodes, AreNotLookedForUnlessAskedFor) {
  const TemporaryFolder folder;
  const std::string grid = write_grid(folder), output = folder / "run.json";
  ASSERT_EQ(run_program(
                {"run", grid, "--mode", "cpu", "--repetitions", "1", "--output", output, "--quiet"})
                .status,
            0);
  const nlohmann::json run = read_json(output)["runs"][0];
  EXPECT_TRUE(run["supernodes"].is_null());
  EXPECT_TRUE(run["gsofa"].is_null());
  EXPECT_TRUE(run["factors"]["supernodes"].is_null());
}

}  // namespace
}  // namespace lufact::test
