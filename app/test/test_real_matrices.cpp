// SPDX-License-Identifier: BSD-3-Clause
// Real matrices and golden counts through the command line, on the CPU.
#include <gtest/gtest.h>

#include "app/test/data_run.hpp"

namespace lufact::test {
namespace {

using RealMatrices = DataRun;

TEST_F(RealMatrices, AreSolvedToABackwardErrorOf1e13OnTheCpu) {
  const auto names = matrix_names();
  EXPECT_GE(names.size(), 26u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const bool complex = name == "gun_T";
    for (const auto& record : run_all({name}, {"--mode", "cpu,fast-cpu"}, complex ? 3 : 0)) {
      SCOPED_TRACE(record.at("mode"));
      EXPECT_EQ(record.at("outcome"), complex ? "unsupported" : "ok");
      if (complex) continue;
      EXPECT_LE(record.at("verification").at("backward_error").get<double>(), 1e-13);
    }
  }
}

TEST_F(RealMatrices, HaveTheSameFrontsForAnyNumberOfThreads) {
  for (const std::string name : {"add20", "bcsstk18", "ScaleMicrogrid_N1000_01"}) {
    SCOPED_TRACE(name);
    std::vector<nlohmann::json> hashes;
    for (const std::string threads : {"1", "2", "3"}) {
      const auto record =
          run(name,
              with({"--mode", "fast-cpu", "--numeric", "cpu-multifrontal", "--threads", threads},
                   {"--verify", "full", "--refactor", "1"}),
              0);
      EXPECT_THAT(record.at("verification").at("method").get<std::string>(),
                  testing::HasSubstr("front-tree+front-schedule+front-factors"));
      hashes.push_back(record.at("factors").at("values_sha256"));
    }
    EXPECT_THAT(hashes, testing::Each(hashes.front()));
  }
}

TEST_F(RealMatrices, HaveTheGoldenCountsInNaturalOrder) {
  const auto lines = golden();
  EXPECT_GE(lines.size(), 17u);
  for (const auto& expected : lines) {
    SCOPED_TRACE(expected.at("matrix"));
    expect_golden(run(expected.at("matrix"), with({"--mode", "cpu"}, golden_options), 0), expected);
  }
}

TEST_F(RealMatrices, MemplusHasTheFillAndLevelsOfGlu3) {
  // GLU 3.0, Table I: 126152 nonzeros after AMD, 147 levels.
  const auto record = run("memplus",
                          {"--mode", "cpu", "--scaling", "none", "--ordering", "amd",
                           "--explicit-zeros", "keep", "--dependency", "relaxed"},
                          0);
  const auto& factors = record.at("factors");
  const double nnz = factors.at("nnz_l").get<double>() + factors.at("nnz_u").get<double>();
  EXPECT_NEAR(nnz, 126152, 126.152);
  EXPECT_NEAR(factors.at("levels").get<double>(), 147, 2);
}

}  // namespace
}  // namespace lufact::test
