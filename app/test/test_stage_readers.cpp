// SPDX-License-Identifier: BSD-3-Clause
// Options that a few stages alone read are not ignored in silence by others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "app/config/stage_readers.hpp"
#include "app/sparse/sparse_plan.hpp"
#include "core/base/error.hpp"
#include "lufact/catalogue.hpp"

namespace lufact::test {
namespace {

using ::testing::HasSubstr;

RunConfig config_of(std::vector<std::string> modes) {
  RunConfig config;
  config.modes = std::move(modes);
  return config;
}

// What the plan of an invocation says against it.
std::string refusal(const RunConfig& config) {
  try {
    plan_variants(make_catalogue(), config, Machine{});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(StageReaders, EveryOptionOfSingleStagesHasSome) {
  std::set<std::string> options, declared;
  for (const StageReaders& readers : stage_readers({})) declared.emplace(readers.option);
  const auto note = [&](const Option& option, const auto&...) { options.insert(option.name); };
  const RunConfig config;
  visit_single_stage_options(note, part_of<const SparseConfig>(config));
  const auto leave_out = [&](const Option& option, const auto&...) { options.erase(option.name); };
  visit_gsofa_options(leave_out, config.gsofa);
  EXPECT_EQ(declared, options);
}

TEST(StageReaders, AreStagesOfTheCatalogue) {
  const Catalogue catalogue = make_catalogue();
  std::set<std::string> stages;
  for (const auto& stage : catalogue.symbolic) stages.insert(stage->info().name);
  for (const auto& stage : catalogue.numeric) stages.insert(stage->info().name);
  RunConfig config;
  config.given_stage.parallel_columns = 160;  // adds readers
  for (const StageReaders& readers : stage_readers(config)) {
    EXPECT_FALSE(readers.stages.empty()) << readers.option;
    for (const std::string_view stage : readers.stages) {
      EXPECT_TRUE(stages.contains(std::string(stage))) << readers.option << " " << stage;
    }
  }
}

TEST(StageReaders, AnOptionThatNoModeReadsIsRefused) {
  RunConfig config = config_of({"cpu", "ooc"});
  EXPECT_EQ(refusal(config), "");
  config.given_stage.managed.bytes = 1 << 20;
  EXPECT_THAT(refusal(config), HasSubstr("--um-bytes is read by gpu-um, gpu-um-prefetch alone, not "
                                         "by cpu, cpu-gp-pruned, gpu-auto, gpu-ooc; leave it out"));
  config = config_of({"fast"});
  config.given_stage.symbolic_parts = 3;
  EXPECT_THAT(refusal(config), HasSubstr("--symbolic-parts is read by gpu-ooc alone"));
  config = config_of({"none"});
  config.peers = {"klu"};
  EXPECT_EQ(refusal(config), "");
  config.given_stage.glu_streams = 4;
  EXPECT_THAT(refusal(config), HasSubstr("alone, and no mode runs; leave it out"));
}

TEST(StageReaders, OneModeThatReadsItIsEnough) {
  RunConfig config = config_of({"ooc", "um"});
  config.given_stage.managed.host_start = true;
  config.given_stage.symbolic_parts = 3;
  config.given_stage.symbolic_words = 6;
  config.given_stage.glu_mode = GluMode::large_block;
  EXPECT_EQ(refusal(config), "");
}

TEST(StageReaders, FactorsOnTheHostAreForFrontsOnTheDevice) {
  RunConfig config = config_of({"fast"});
  config.given_stage.factors = FactorPlace::host;
  EXPECT_EQ(refusal(config), "");
  config.modes = {"fast-cpu"};
  EXPECT_THAT(refusal(config), HasSubstr("--factors is read by gpu-multifrontal alone"));
  config.modes = {"fast"};
  config.systems = 4;
  try {
    check(config);
    ADD_FAILURE() << "many systems keep their factors on the host";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--systems keeps factors on the device"));
  }
}

TEST(StageReaders, BinarySearchHasTheModesOfGlu3WhereItsBlocksAreGiven) {
  RunConfig config = config_of({"ooc"});
  config.numeric = "gpu-binary-search";
  config.given_stage.glu_mode = GluMode::large_block;
  EXPECT_THAT(refusal(config), HasSubstr("--glu-mode is read by gpu-dense, gpu-auto alone"));
  config.given_stage.parallel_columns = 160;
  EXPECT_EQ(refusal(config), "");
  config.given_stage.glu_streams = 2;
  EXPECT_THAT(refusal(config), HasSubstr("--glu-streams is read by gpu-dense, gpu-auto alone"));
}

}  // namespace
}  // namespace lufact::test
