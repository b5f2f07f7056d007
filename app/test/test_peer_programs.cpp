// SPDX-License-Identifier: BSD-3-Clause
// Peers that are programs of ours over a foreign library: the symbolic steps of SuperLU_DIST, over
// MPI on the cores of this host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"
#include "core/base/test/variable.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json finding_of(const std::string& peer) {
  const json doctor = json::parse(run_program({"doctor", "--json"}).out);
  for (const json& found : doctor.at("peers")) {
    if (found.at("name") == peer) return found;
  }
  return nullptr;
}

class PeerPrograms : public testing::Test {
 protected:
  void need(const std::string& peer) {
    const json found = finding_of(peer);
    ASSERT_FALSE(found.is_null());
    if (!found.at("can_run").get<bool>()) GTEST_SKIP() << found.at("reason").get<std::string>();
  }

  json run(const std::vector<std::string>& options, int status = 0) const {
    const std::string output = folder_ / "out.json";
    std::vector<std::string> words{"run",      "--until", "symbolic", "--repetitions", "1",
                                   "--warmup", "0",       "--output", output};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
    const json result = read_json(output);
    EXPECT_THAT(schema_violations(result), testing::IsEmpty());
    EXPECT_THAT(consistency_violations(result, {sparse_facts()}), testing::IsEmpty());
    return result.at("runs");
  }

  std::string refusal(const std::vector<std::string>& options) const {
    std::vector<std::string> words{"run", "--matrix", grid_};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    return outcome.err;
  }

  TemporaryFolder folder_;
  std::string grid_ = generate(folder_, "g.mtx", {"grid2d", "--nx", "40", "--ny", "30"});
  std::string circuit_ = generate(folder_, "c.mtx", {"circuit", "--n", "1500"});
};

TEST_F(PeerPrograms, TheSequentialStepCountsWhatOursCounts) {
  need("superlu-dist-seq");
  if (IsSkipped()) return;
  for (const char* ordering : {"natural", "amd"}) {
    const json runs = run(
        {"--matrix", grid_, "--mode", "cpu", "--ordering", ordering, "--peer", "superlu-dist-seq"});
    const json &ours = runs.at(0).at("factors"), &theirs = runs.at(1).at("factors");
    EXPECT_EQ(theirs.at("nnz_l"), ours.at("nnz_l"));
    EXPECT_EQ(theirs.at("nnz_u"), ours.at("nnz_u"));
    EXPECT_GT(theirs.at("supernodes"), 0);
    EXPECT_EQ(runs.at(1).at("peer").at("library"), "SuperLU_DIST");
    EXPECT_EQ(runs.at(1).at("pipeline").at("symbolic"), "symbfact");
  }
}

// U of an unsymmetric pattern is counted by segments, which reach to the end of a supernode.
TEST_F(PeerPrograms, LOfAnUnsymmetricPatternIsOursToo) {
  need("superlu-dist-seq");
  if (IsSkipped()) return;
  const json runs = run({"--matrix", circuit_, "--mode", "cpu", "--peer", "superlu-dist-seq"});
  const json &ours = runs.at(0).at("factors"), &theirs = runs.at(1).at("factors");
  EXPECT_EQ(theirs.at("nnz_l"), ours.at("nnz_l"));
  EXPECT_GE(theirs.at("nnz_u"), ours.at("nnz_u"));
  EXPECT_LE(theirs.at("nnz_u").get<double>(), 1.01 * ours.at("nnz_u").get<double>());
}

TEST_F(PeerPrograms, TheOrderOfTheParallelStepGivesAllTheSamePattern) {
  need("superlu-dist-par");
  if (IsSkipped()) return;
  const std::string order = folder_ / "order.txt";
  for (const char* ranks : {"1", "2"}) {
    const json parallel = run({"--matrix", grid_, "--mode", "none", "--peer", "superlu-dist-par",
                               "--ranks", ranks, "--write-permutation", order})
                              .at(0);
    EXPECT_EQ(parallel.at("peer").at("settings").at("processes"), ranks);
    EXPECT_EQ(parallel.at("peer").at("settings").at("scotch_threads"), "1");
    const json& theirs = parallel.at("factors");
    const json runs = run(
        {"--matrix", grid_, "--mode", "cpu", "--permutation", order, "--peer", "superlu-dist-seq"});
    for (const json& run : runs) {
      EXPECT_EQ(run.at("factors").at("nnz_l"), theirs.at("nnz_l"));
      EXPECT_EQ(run.at("factors").at("nnz_u"), theirs.at("nnz_u"));
    }
  }
}

// Several threads of PT-Scotch, where it is ParMETIS, send from a process on four ranks and more:
// with MPI for one thread half of such runs crashed or waited for ever.
TEST_F(PeerPrograms, ManyRanksEndEveryTime) {
  need("superlu-dist-par");
  if (IsSkipped()) return;
  const Variable threads{"SCOTCH_PTHREAD_NUMBER", "2"};
  const std::vector<std::string> on_ranks{
      "--mode",    "none", "--peer",     "superlu-dist-par",
      "--timeout", "60",   "--launcher", "mpirun --oversubscribe -n {ranks}"};
  for (int k = 0; k < 4; ++k) {
    for (const char* ranks : {"4", "8"}) {
      std::vector<std::string> options = on_ranks;
      options.insert(options.end(), {"--matrix", k % 2 == 0 ? grid_ : circuit_, "--ranks", ranks});
      const json parallel = run(options).at(0);
      ASSERT_EQ(parallel.at("outcome"), "ok") << parallel.at("error");
      EXPECT_EQ(parallel.at("peer").at("settings").at("mpi_threads"), "multiple");
      EXPECT_EQ(parallel.at("peer").at("settings").at("scotch_threads"), "2");
    }
  }
}

TEST_F(PeerPrograms, ALauncherOrNumberThatWillNotDoSaysSo) {
  need("superlu-dist-par");
  if (IsSkipped()) return;
  const std::vector<std::string> parallel{"--matrix", grid_,    "--mode",
                                          "none",     "--peer", "superlu-dist-par"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), parallel.begin(), parallel.end());
    return run(more, 3).at(0);
  };
  const json three = with({"--ranks", "3", "--launcher", "mpirun --oversubscribe -n {ranks}"});
  EXPECT_EQ(three.at("outcome"), "unsupported");
  EXPECT_THAT(three.at("error").at("message"), HasSubstr("1, 2, 4, 8"));
  const json absent = with({"--ranks", "2", "--launcher", "no-such-launcher -n {ranks}"});
  EXPECT_EQ(absent.at("outcome"), "unsupported");
  EXPECT_THAT(absent.at("error").at("message"), HasSubstr("no-such-launcher"));
}

TEST_F(PeerPrograms, AreKnownWhereTheyAreNotThere) {
  for (const char* peer : {"superlu-dist-seq", "superlu-dist-par"}) {
    const json found = finding_of(peer);
    ASSERT_FALSE(found.is_null()) << peer;
    EXPECT_EQ(found.at("can_run").get<bool>(), found.at("reason").is_null());
    EXPECT_THAT(run_program({"list", "peers"}).out, HasSubstr(peer));
    if (found.at("reason").is_null()) continue;
    const json run = this->run({"--matrix", grid_, "--mode", "none", "--peer", peer}, 3).at(0);
    EXPECT_EQ(run.at("outcome"), "unsupported");
  }
}

TEST_F(PeerPrograms, WrongUsageIsRefused) {
  EXPECT_THAT(refusal({"--mode", "none", "--peer", "superlu-dist-seq,klu", "--until", "symbolic"}),
              HasSubstr("superlu-dist-par alone"));
  EXPECT_THAT(refusal({"--mode", "none", "--peer", "superlu-dist-seq", "--until", "numeric"}),
              HasSubstr("leave --until at solve"));
  EXPECT_THAT(refusal({"--mode", "none", "--peer", "superlu-dist-seq", "--ranks", "2"}),
              HasSubstr("accepted: superlu-dist-par"));
  EXPECT_THAT(refusal({"--mode", "none", "--peer", "superlu-dist-seq", "--write-permutation",
                       folder_ / "order.txt"}),
              HasSubstr("--write-permutation takes one matrix"));
  EXPECT_THAT(refusal({"--mode", "none", "--peer", "superlu-dist-parallel"}),
              HasSubstr("superlu-dist-parallel' is not known"));
}

}  // namespace
}  // namespace lufact::test
