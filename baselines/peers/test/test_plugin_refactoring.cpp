// SPDX-License-Identifier: BSD-3-Clause
// Where a peer has the values of refactorizations, and how often it is waited for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "baselines/peers/plugin_run.hpp"
#include "core/generate/generate.hpp"
#include "core/verify/solution.hpp"

namespace lufact {
namespace {

const bool peer_path_set = [] {
  const char* moved = std::getenv("LUFACT_TEST_PEERS");
  setenv("LUFACT_PEER_PATH", moved != nullptr ? moved : LUFACT_TEST_PEER_PATH, 1);
  return true;
}();

LinearSystem small_system(Index rhs) {
  LinearSystem system;
  system.input.matrix = generate_matrix({"circuit", {{"n", 60}}, 1});
  system.rhs = rhs;
  system.x_true = make_x_true(system.input.matrix.pattern.n_rows, rhs, 1);
  system.b = multiply(system.input.matrix, system.x_true, rhs);
  return system;
}

// Whatever is asked for, a peer on the host refactors with arrays there, and waits; the record says
// how it was.
TEST(PluginRun, RefactorsWhereTheValuesAreAndWithOneWait) {
  const LinearSystem system = small_system(2);
  const SteadyClock clock;
  const PeerPlugin plugin("fake");
  for (const bool on_device : {false, true}) {
    PeerSolver solver(plugin, {on_device ? "device" : "", 1, 0});
    EXPECT_TRUE(solver.works_on_device());
    for (const Side values : {Side::host, Side::device}) {
      for (const PhaseTiming timing :
           {PhaseTiming::waits, PhaseTiming::events, PhaseTiming::none}) {
        const PeerRunSettings settings{.refactoring = {values, timing}};
        PluginRun run(solver, system, settings, clock);
        run.run_repetition(0);
        RunRecord record;
        run.describe(record);
        EXPECT_FALSE(record.refactoring.has_value());
        for (int k = 0; k < 2; ++k) {
          const Sample sample = run.run_refactorization(k);
          double sum = 0;
          std::vector<std::string> names;
          for (const PhaseTime& phase : sample.phases) {
            names.push_back(phase.name);
            if (phase.name != "verify") sum += phase.wall_s;
          }
          const bool waits = !on_device || timing == PhaseTiming::waits;
          EXPECT_NEAR(sample.total_s, sum + (waits ? 0 : sample.unattributed_s), 1e-9);
          if (!waits && timing == PhaseTiming::none) {
            EXPECT_THAT(names, testing::ElementsAre("verify"));
            continue;
          }
          EXPECT_THAT(names, testing::ElementsAre("transfer", "numeric", "solve", "verify"));
          EXPECT_EQ(sample.phases[1].gpu_s.has_value(), !waits);
        }
        run.add_refactorizations(record);
        EXPECT_TRUE(record.verification->passed) << record.verification->message;
        ASSERT_TRUE(record.refactoring.has_value());
        EXPECT_EQ(record.refactoring->values, to_string(on_device ? values : Side::host));
        EXPECT_EQ(record.refactoring->phases, to_string(on_device ? timing : PhaseTiming::waits));
        run.release();
      }
    }
  }
}

}  // namespace
}  // namespace lufact
