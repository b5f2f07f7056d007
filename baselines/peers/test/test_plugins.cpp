// SPDX-License-Identifier: BSD-3-Clause
// Every plug-in that can be opened here, on the same small systems: solutions, refactorizations,
// figures and what a singular matrix is called.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "baselines/peers/known_peers.hpp"
#include "baselines/peers/plugin_advice.hpp"
#include "baselines/peers/plugin_run.hpp"
#include "core/base/error.hpp"
#include "core/generate/generate.hpp"
#include "core/verify/solution.hpp"

namespace lufact {
namespace {

// Before the first plug-in is looked for: those for tests, and those of this build. A bundle finds
// its own beside its programs.
const bool peer_path_set = [] {
  const char* moved = std::getenv("LUFACT_TEST_PEERS");
  setenv("LUFACT_PEER_PATH", moved != nullptr ? moved : LUFACT_TEST_PEER_PATH, 1);
  return true;
}();

LinearSystem system_of(CsrMatrix matrix, Index rhs) {
  LinearSystem system;
  system.input.matrix = std::move(matrix);
  const CsrMatrix& a = system.input.matrix;
  system.rhs = rhs;
  system.x_true = make_x_true(a.pattern.n_rows, rhs, 1);
  system.b = multiply(a, system.x_true, rhs);
  return system;
}

CsrMatrix dense(Index n, const std::vector<double>& values) {
  CsrMatrix a;
  a.pattern.n_rows = a.pattern.n_cols = n;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double value = values[static_cast<std::size_t>(i * n + j)];
      if (value == 0) continue;
      a.pattern.col_idx.push_back(j);
      a.values.push_back(value);
    }
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.values.size()));
  }
  return a;
}

class Plugins : public testing::TestWithParam<const char*> {
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

  RunRecord solve(const LinearSystem& system, int refactorizations) {
    PluginRun run(*solver_, system, settings_, clock_);
    for (int repetition = 0; repetition < 2; ++repetition) {
      const Sample sample = run.run_repetition(repetition);
      EXPECT_GT(sample.total_s, 0);
    }
    RunRecord record;
    run.describe(record);
    for (int k = 0; k < refactorizations; ++k) run.run_refactorization(k);
    run.add_refactorizations(record);
    return record;
  }

  SteadyClock clock_;
  PeerRunSettings settings_;
  std::optional<PeerPlugin> plugin_;
  std::optional<PeerSolver> solver_;
};

TEST_P(Plugins, SolveAndRefactor) {
  const std::vector<GeneratorFacts> kinds{{"grid2d", {{"nx", 12}, {"ny", 10}}, 1},
                                          {"circuit", {{"n", 150}}, 1},
                                          {"random", {{"n", 120}}, 1}};
  for (const GeneratorFacts& kind : kinds) {
    const LinearSystem system = system_of(generate_matrix(kind), 2);
    const RunRecord record = solve(system, 2);
    ASSERT_TRUE(record.verification.has_value());
    // Threshold pivoting without refinement, as KLU does it, need not reach the 1e-12 of `ok`.
    ASSERT_TRUE(record.verification->backward_error.has_value()) << kind.kind;
    EXPECT_LE(*record.verification->backward_error, 1e-10) << kind.kind;
    EXPECT_THAT(record.verification->method, testing::StartsWith("peer"));
    ASSERT_TRUE(record.peer.has_value());
    EXPECT_TRUE(record.peer->version.has_value());
    EXPECT_GE(record.peer->threads.value_or(0), 1);
  }
}

TEST_P(Plugins, SolveWithTheTransposeOrSayThatTheyCannot) {
  LinearSystem system = system_of(generate_matrix({"circuit", {{"n", 150}}, 1}), 3);
  const CsrMatrix& a = system.input.matrix;
  system.transposed = true;
  system.b = multiply(a, system.x_true, 3, true);
  const std::string name = GetParam();
  const bool able = name != "fake-columns" && !name.starts_with("cu");
  try {
    solver_->transpose(true);
    EXPECT_TRUE(able);
    EXPECT_LE(solve(system, 2).verification->backward_error.value(), 1e-10);
    solver_->transpose(false);
    EXPECT_LE(*solve(system_of(a, 1), 0).verification->backward_error, 1e-10);
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_FALSE(able) << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr("no solve with the transpose"));
  }
}

TEST_P(Plugins, CountTheirFactors) {
  // Dense: whatever the ordering, L and U are full.
  const LinearSystem system = system_of(dense(3, {4, 1, 2, 1, 5, 1, 2, 1, 6}), 1);
  const RunRecord record = solve(system, 0);
  ASSERT_TRUE(record.peer->nnz_lu.has_value());
  EXPECT_GE(*record.peer->nnz_lu, 9);
  EXPECT_EQ(record.factors->nnz_l.value_or(3), 3);
  EXPECT_EQ(record.factors->nnz_u.value_or(6), 6);
}

TEST_P(Plugins, SolveOneByOne) {
  const RunRecord record = solve(system_of(dense(1, {-3}), 1), 1);
  EXPECT_TRUE(record.verification->passed);
}

TEST_P(Plugins, TakeUnsymmetricMatricesTheRightWayRound) {
  const RunRecord record = solve(system_of(dense(3, {4, 1, 0, 0, 5, 1, 2, 0, 6}), 1), 1);
  EXPECT_TRUE(record.verification->passed) << record.verification->message;
}

TEST_P(Plugins, DoNotCallASingularMatrixSolved) {
  const LinearSystem system = system_of(dense(2, {1, 2, 2, 4}), 1);
  PluginRun run(*solver_, system, settings_, clock_);
  try {
    run.run_repetition(0);
    // A solver that perturbs the pivot may find one of the solutions. What it says does not count:
    // the verdict is that of the residual.
    RunRecord record;
    run.describe(record);
    ASSERT_TRUE(record.verification);
    const VerificationRecord& verdict = *record.verification;
    EXPECT_EQ(verdict.passed,
              verdict.backward_error && *verdict.backward_error <= verdict.threshold)
        << verdict.message;
  } catch (const Error& error) {
    EXPECT_THAT(error.outcome(),
                testing::AnyOf(Outcome::singular_numeric, Outcome::singular_structural));
  }
}

TEST_P(Plugins, StartAfreshAfterAFailure) {
  const LinearSystem singular = system_of(dense(2, {0, 2, 0, 4}), 1);
  const LinearSystem regular = system_of(dense(2, {1, 2, 3, 4}), 1);
  {
    PluginRun run(*solver_, singular, settings_, clock_);
    try {
      run.run_repetition(0);
    } catch (const Error& error) {
      EXPECT_NE(error.outcome(), Outcome::error) << error.what();
    }
    run.release();
  }
  EXPECT_TRUE(solve(regular, 0).verification->passed);
}

INSTANTIATE_TEST_SUITE_P(All, Plugins,
                         testing::Values("fake", "fake-columns", "klu", "klu-colamd", "umfpack",
                                         "umfpack-seq", "umfpack-metis", "superlu", "mumps",
                                         "mumps-amd", "mumps-scotch", "mumps-seq", "eigen",
                                         "eigen-amd", "pardiso", "pardiso-amd", "pardiso-pnd",
                                         "cudss", "cudss-matching", "cudss-nomatching",
                                         "cudss-amd-matching", "cudss-hybrid-execute",
                                         "cudss-hybrid-memory", "cudss-hybrid-memory-min",
                                         "cusolverrf", "cusolverrf-alg2"),
                         [](const auto& plugin) {
                           std::string name = plugin.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// The least device memory of a small matrix is not the limit of a larger one after it.
TEST(CudssHybridMemory, EachRunHasALimitOfItsOwn) {
  std::optional<PeerPlugin> plugin;
  const auto open = [&] { return PeerSolver(*plugin, {"hybrid-memory-min", 2, 0}); };
  try {
    plugin.emplace("cudss");
    open();
  } catch (const Error& error) {
    ASSERT_EQ(error.outcome(), Outcome::unsupported);
    GTEST_SKIP() << error.what();
  }
  const auto limit_of = [](PeerSolver& solver, Index side) {
    const GeneratorFacts grid{"grid2d", {{"nx", side}, {"ny", side}}, 1};
    const LinearSystem system = system_of(generate_matrix(grid), 1);
    const PeerRunSettings settings;
    const SteadyClock clock;
    PluginRun run(solver, system, settings, clock);
    run.run_repetition(0);
    RunRecord record;
    run.describe(record);
    EXPECT_TRUE(record.verification->passed) << record.verification->message;
    return std::strtod(record.peer->settings["hybrid_device_memory_limit"].c_str(), nullptr);
  };
  PeerSolver fresh = open(), used = open();
  const double small = limit_of(used, 8), large = limit_of(fresh, 200);
  EXPECT_GT(small, 0);
  EXPECT_GT(large, 1.5 * small) << "the sizes are too alike to tell anything";
  EXPECT_NEAR(limit_of(used, 200), large, 0.1 * large);  // orderings of several threads may differ
}

// Of a peer on a device the arrays of refactorizations are in the memory that is given for them,
// outside of its phases, and once; of others they are not.
TEST(PluginRun, TakesPageLockedMemoryForRefactorizationsOnADevice) {
  const LinearSystem system = system_of(dense(3, {4, 1, 2, 1, 5, 1, 2, 1, 6}), 2);
  const SteadyClock clock;
  const PeerRunSettings settings;
  const PeerPlugin plugin("fake");
  for (const bool on_device : {false, true}) {
    for (const bool has_some : {false, true}) {
      PeerSolver solver(plugin, {on_device ? "device" : "columns", 1, 0});
      std::vector<std::size_t> asked;
      std::weak_ptr<void> last;
      const PluginRun* running = nullptr;
      PluginRun run(solver, system, settings, clock, [&](std::size_t bytes) {
        EXPECT_EQ(running->phase(), "");
        asked.push_back(bytes);
        std::shared_ptr<void> memory;
        if (has_some) memory = std::make_shared<double[]>(bytes / sizeof(double));
        last = memory;
        return memory;
      });
      running = &run;
      run.run_repetition(0);
      EXPECT_TRUE(asked.empty());
      RunRecord record;
      run.describe(record);
      for (int k = 0; k < 2; ++k) run.run_refactorization(k);
      run.add_refactorizations(record);
      EXPECT_TRUE(record.verification->passed) << record.verification->message;
      EXPECT_EQ(asked.size(), on_device ? 3u : 0u);
      EXPECT_EQ(record.warnings.size(), on_device && !has_some ? 1u : 0u);
      EXPECT_EQ(last.expired(), !on_device || !has_some);
      run.release();
      EXPECT_TRUE(last.expired());
    }
  }
}

// What a plug-in does beyond its library's own steps is in its times: the record says how much.
TEST(PluginRun, SaysHowLongSuperLuWasChecked) {
  const LinearSystem system = system_of(dense(2, {4, 1, 2, 3}), 1);
  const SteadyClock clock;
  const PeerRunSettings settings;
  std::optional<PeerPlugin> plugin;
  try {
    plugin.emplace("superlu");
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  PeerSolver solver(*plugin, {"", 1, 0});
  PluginRun run(solver, system, settings, clock);
  const Sample sample = run.run_repetition(0);
  RunRecord record;
  run.describe(record);
  const std::map<std::string, std::string>& said = record.peer->settings;
  ASSERT_TRUE(said.contains("rank_check_s"));
  const double seconds = std::stod(said.at("rank_check_s"));
  EXPECT_GE(seconds, 0);
  EXPECT_LE(seconds, sample.total_s);
}

TEST(PluginRun, WarnsOfAPeerThatUsesOneThreadOfSeveral) {
  const LinearSystem system = system_of(dense(2, {4, 1, 2, 3}), 1);
  const SteadyClock clock;
  const PeerRunSettings settings;
  for (const char* name : {"fake", "fakealone"}) {
    const PeerPlugin plugin(name);
    for (const int threads : {1, 3}) {
      PeerSolver solver(plugin, {"", threads, 0});
      PluginRun run(solver, system, settings, clock);
      run.run_repetition(0);
      RunRecord record;
      run.describe(record);
      const bool alone = name == std::string("fakealone") && threads > 1;
      ASSERT_EQ(record.warnings.size(), alone ? 1u : 0u) << name << " with " << threads;
      if (!alone) continue;
      EXPECT_EQ(record.warnings[0].code, "peer_on_one_thread");
      EXPECT_THAT(record.warnings[0].message, testing::HasSubstr("one of the 3 host threads"));
    }
  }
}

// Asked for more than any machine of today has cores.
TEST(PeerThreads, AreThoseThatTheLibraryTakes) {
  for (const char* name : {"pardiso", "mumps", "umfpack"}) {
    try {
      const PeerPlugin plugin(name);
      const PeerFacts facts = PeerSolver(plugin, {"", 900, 0}).facts();
      EXPECT_LT(facts.record.threads.value(), 900) << name;
      EXPECT_EQ(facts.warnings.empty(), facts.record.threads > 1) << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.outcome(), Outcome::unsupported) << name << ": " << error.what();
    }
  }
}

TEST(PeerNames, SplitAtTheFirstDash) {
  EXPECT_EQ(parse_peer_name("klu").plugin, "klu");
  EXPECT_EQ(parse_peer_name("klu").variant, "");
  EXPECT_EQ(parse_peer_name("cudss-btf-colamd").plugin, "cudss");
  EXPECT_EQ(parse_peer_name("cudss-btf-colamd").variant, "btf-colamd");
  EXPECT_EQ(peer_name("cudss", "amd"), "cudss-amd");
}

TEST(KnownPeers, SayWhatTheyAreAndHowToGetThem) {
  EXPECT_GE(known_peers(PeerKind::solver).size(), 8u);
  for (const KnownPeer& peer : known_peers(PeerKind::solver)) {
    EXPECT_EQ(find_known_peer(PeerKind::solver, peer.plugin), &peer);
    EXPECT_FALSE(peer.description.empty()) << peer.plugin;
    EXPECT_FALSE(peer.packages.empty() && peer.how_to_get.empty()) << peer.plugin;
  }
  EXPECT_EQ(find_known_peer(PeerKind::solver, "umfpack")->packages,
            "libsuitesparse-dev libopenblas-dev");
  EXPECT_EQ(find_known_peer(PeerKind::solver, "nowhere"), nullptr);
}

constexpr KnownPeer built{"here", "a solver", "libhere-dev", "", true};
constexpr KnownPeer left_out{"gone", "a solver", "libgone-dev libmore-dev", "", false};
constexpr KnownPeer brought{"mine", "a solver", "", "run `pip install mine`", false};

TEST(PluginAdvice, TellsAPluginThatWasNotBuiltFromOneThatCouldNotBe) {
  EXPECT_EQ(advice_on_missing_plugin(&built, "the plug-in here.so", "/b"),
            "the plug-in here.so was not built; `cmake --build /b --target lufact_peer_plugins` "
            "builds it");
  EXPECT_EQ(advice_on_missing_plugin(&left_out, "the plug-in gone.so", "/b"),
            "lufact was built without the plug-in gone.so, since what it is built with was not "
            "there: `apt-get install libgone-dev libmore-dev`, then `cmake /b && cmake --build /b "
            "--target lufact_peer_plugins`");
  EXPECT_THAT(advice_on_missing_plugin(&brought, "the plug-in mine.so", "/b"),
              testing::HasSubstr("run `pip install mine`, then `cmake /b"));
}

TEST(PluginAdvice, OfAnInstalledProgramNamesNoBuildFolder) {
  EXPECT_THAT(advice_on_missing_plugin(&built, "the plug-in here.so", std::nullopt),
              testing::AllOf(testing::HasSubstr("was not installed"),
                             testing::HasSubstr("cmake --install BUILD")));
  EXPECT_THAT(advice_on_missing_plugin(&left_out, "the plug-in gone.so", std::nullopt),
              testing::AllOf(testing::HasSubstr("`apt-get install libgone-dev libmore-dev`"),
                             testing::HasSubstr("scripts/quickstart")));
}

TEST(PluginAdvice, NamesTheLibraryThatIsMissing) {
  const std::string fault = "libhere.so.1: cannot open shared object file: No such file";
  EXPECT_EQ(advice_on_unloadable_plugin(&built, "here.so", fault),
            "a library that the plug-in here.so needs is missing: " + fault +
                "; get it with `apt-get install libhere-dev`");
  EXPECT_THAT(advice_on_unloadable_plugin(nullptr, "own.so", fault),
              testing::HasSubstr("LD_LIBRARY_PATH"));
  EXPECT_EQ(advice_on_unloadable_plugin(&built, "here.so", "invalid ELF header"),
            "the plug-in here.so cannot be loaded: invalid ELF header");
}

TEST(PeerPlugin, SaysWhatIsInTheWay) {
  try {
    PeerPlugin("nowhere");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("LUFACT_PEER_PATH"));
  }
  try {
    PeerPlugin("fakeabi");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("version 2 of the plug-in interface"));
  }
  try {
    PeerPlugin("fakeneedy");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_THAT(error.what(), testing::AnyOf(testing::HasSubstr("libfakeneeded.so: cannot open"),
                                             testing::HasSubstr("there is no plug-in")));
  }
}

}  // namespace
}  // namespace lufact
