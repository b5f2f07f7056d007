// SPDX-License-Identifier: BSD-3-Clause
// Many systems with one pattern by plug-ins that take them together, and by those that do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "baselines/peers/known_peers.hpp"
#include "baselines/peers/plugin_systems_run.hpp"
#include "core/base/error.hpp"
#include "core/generate/generate.hpp"
#include "core/verify/solution.hpp"

namespace lufact {
namespace {

const bool peer_path_set = [] {
  const char* moved = std::getenv("LUFACT_TEST_PEERS");
  setenv("LUFACT_PEER_PATH", moved != nullptr ? moved : LUFACT_TEST_PEER_PATH, 1);
  return true;
}();

LinearSystem grid() {
  LinearSystem system;
  system.input.matrix = generate_matrix({"circuit", {{"n", 150}}, 1});
  system.x_true = make_x_true(150, 1, 1);
  system.b = multiply(system.input.matrix, system.x_true, 1);
  return system;
}

class PluginSystems : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const PeerName name = parse_peer_name(GetParam());
    try {
      plugin_.emplace(name.plugin);
      solver_.emplace(*plugin_, PeerSolver::Options{name.variant, 2, 0});
    } catch (const Error& error) {
      ASSERT_EQ(error.outcome(), Outcome::unsupported);
      GTEST_SKIP() << error.what();
    }
  }

  SteadyClock clock_;
  LinearSystem system_ = grid();
  PeerRunSettings settings_{.threshold = 1e-10};
  std::optional<PeerPlugin> plugin_;
  std::optional<PeerSolver> solver_;
};

using Takers = PluginSystems;

TEST_P(Takers, SolveEverySystemWithItsOwnValues) {
  constexpr Index count = 5;
  PluginSystemsRun run(*solver_, system_, settings_, clock_, {.count = count});
  for (int repetition = 0; repetition < 2; ++repetition) {
    EXPECT_GT(run.run_repetition(repetition).total_s, 0);
  }
  RunRecord record;
  run.describe(record);
  run.run_refactorization(0);
  run.run_refactorization(1);
  run.add_refactorizations(record);
  ASSERT_TRUE(record.systems && record.verification);
  EXPECT_EQ(record.systems->count, count);
  EXPECT_EQ(record.systems->chunk, count);
  EXPECT_EQ(record.systems->failed, 0);
  EXPECT_EQ(record.verification->matrices_checked, count);
  EXPECT_TRUE(record.verification->passed) << record.verification->message;
  EXPECT_LE(record.verification->backward_error.value(), 1e-10);
  // One where it warns of it.
  EXPECT_EQ(record.peer->threads, solver_->facts().warnings.empty() ? 2 : 1);
  ASSERT_EQ(run.solution().size(), 5u * 150);
  // The known solution of all.
  for (std::size_t i = 0; i < run.solution().size(); ++i) {
    EXPECT_NEAR(run.solution()[i], system_.x_true[i % 150], 1e-6) << i;
  }
}

TEST_P(Takers, GoBackToOneSystem) {
  {
    PluginSystemsRun run(*solver_, system_, settings_, clock_, {.count = 3});
    run.run_repetition(0);
    run.release();
  }
  solver_->set_systems(1);
  PluginRun run(*solver_, system_, settings_, clock_);
  run.run_repetition(0);
  RunRecord record;
  run.describe(record);
  EXPECT_TRUE(record.verification->passed);
  EXPECT_FALSE(record.systems.has_value());
}

INSTANTIATE_TEST_SUITE_P(Peers, Takers,
                         testing::Values("fake", "fake-columns", "klu", "cudss", "cudss-amd",
                                         "cudss-ir"));

// Of those that replace no pivots: one that does solves A x = 0 where A is zero.
using Exact = PluginSystems;

TEST_P(Exact, TellWhichSystemFailed) {
  const std::size_t entries = system_.input.matrix.values.size();
  const SystemValues values = [&](Index k, std::span<double> to) {
    ASSERT_EQ(to.size(), entries);
    std::ranges::copy(system_.input.matrix.values, to.begin());
    for (double& value : to) value *= k == 2 ? 0 : k + 1;
  };
  PluginSystemsRun run(*solver_, system_, settings_, clock_, {.count = 4, .values = values});
  try {
    run.run_repetition(0);
    RunRecord record;
    run.describe(record);
    EXPECT_EQ(record.systems->failed, 1);
    EXPECT_EQ(record.systems->worst->index, 2);
    EXPECT_FALSE(record.verification->passed);
    EXPECT_THAT(record.verification->message, testing::StartsWith("system 2: "));
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::singular_numeric);
    EXPECT_THAT(error.what(), testing::HasSubstr("system 2: "));
  }
}

INSTANTIATE_TEST_SUITE_P(Peers, Exact, testing::Values("fake", "fake-columns", "klu"));

using OthersAtATime = PluginSystems;

TEST_P(OthersAtATime, SayThatTheyTakeOneSystem) {
  try {
    const PluginSystemsRun run(*solver_, system_, settings_, clock_, {.count = 4});
    FAIL() << "no refusal";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_EQ(error.code(), "one_system");
    EXPECT_THAT(error.what(), testing::HasSubstr("takes one system at a time, not --systems 4"));
  }
}

INSTANTIATE_TEST_SUITE_P(Peers, OthersAtATime, testing::Values("fakealone", "umfpack", "superlu"));

using VariantsAtATime = PluginSystems;

TEST_P(VariantsAtATime, SayWhyAndWhichTakeMany) {
  try {
    const PluginSystemsRun run(*solver_, system_, settings_, clock_, {.count = 4});
    FAIL() << "no refusal";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_THAT(error.what(),
                testing::HasSubstr(std::string(GetParam()) + " takes one system at a time: the "));
    EXPECT_THAT(error.what(), testing::HasSubstr("cudss-seq take many"));
  }
}

INSTANTIATE_TEST_SUITE_P(Peers, VariantsAtATime,
                         testing::Values("cudss-btf-colamd", "cudss-matching", "cudss-amd-matching",
                                         "cudss-hybrid-memory", "cudss-hybrid-execute"));

// The library has no matching for a batch, and chooses again for one system.
TEST(CudssBatch, IsInTheRecordWithoutAMatching) {
  std::optional<PeerPlugin> plugin;
  std::optional<PeerSolver> solver;
  try {
    plugin.emplace("cudss");
    solver.emplace(*plugin, PeerSolver::Options{"", 2, 0});
  } catch (const Error& error) {
    ASSERT_EQ(error.outcome(), Outcome::unsupported);
    GTEST_SKIP() << error.what();
  }
  const auto settings_of = [&](Index count) {
    solver->set_systems(count);
    return solver->facts().record.settings;
  };
  const auto many = settings_of(64), one = settings_of(1);
  EXPECT_EQ(many.at("uniform_batch"), "64");
  EXPECT_EQ(many.at("matching_alg"), "0");
  EXPECT_FALSE(one.contains("uniform_batch"));
  EXPECT_EQ(one.at("matching_alg"), "auto");
}

}  // namespace
}  // namespace lufact
