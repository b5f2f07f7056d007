// SPDX-License-Identifier: BSD-3-Clause
// Sources of a search are counted in a repetition of their own, which can fail alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class SourceCounting : public testing::Test {
 protected:
  json run(const std::string& symbolic, const std::vector<std::string>& options) {
    std::vector<std::string> command{"run",        "--matrix", matrix_,    "--mode", "cpu",
                                     "--symbolic", symbolic,   "--output", result_};
    command.insert(command.end(), options.begin(), options.end());
    const Outcome outcome = run_program(command);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    told_ = outcome.err;
    EXPECT_EQ(run_program({"validate", result_}).status, 0);
    return read_json(result_).at("runs").at(0);
  }

  static std::vector<std::string> codes_of_warnings(const json& run) {
    std::vector<std::string> codes;
    for (const json& warning : run.at("warnings")) codes.push_back(warning.at("code"));
    return codes;
  }

  TemporaryFolder folder_;
  std::string matrix_ = generate(folder_, "grid.mtx", {"grid2d", "--nx", "5", "--ny", "4"});
  std::string result_ = folder_ / "result.json";
  std::string told_;
};

TEST_F(SourceCounting, TimedRepetitionsDoNotCount) {
  for (const auto& [warmup, repetitions] : {std::pair{"0", 1}, {"1", 3}}) {
    const json counted = run("counting", {"--record-profile", "--warmup", warmup, "--repetitions",
                                          std::to_string(repetitions)});
    EXPECT_EQ(counted.at("samples").size(), static_cast<std::size_t>(repetitions));
    EXPECT_THAT(codes_of_warnings(counted), testing::Not(testing::Contains("counted")));
    const json& profile = counted.at("profile");
    EXPECT_EQ(profile.at("sources").at("rows"), json{20});
    EXPECT_EQ(profile.at("sources").at("edges"), json{7});
    EXPECT_EQ(profile.at("sources").at("iterations"), json{1}) << "not in a process of its own";
  }
}

TEST_F(SourceCounting, IsForThoseWhoAskAndSearch) {
  EXPECT_TRUE(run("counting", {}).at("profile").is_null());
  const json ordered = run("counting", {"--record-profile", "--until", "order"});
  EXPECT_TRUE(ordered.at("profile").at("sources").at("rows").empty());
  EXPECT_THAT(codes_of_warnings(ordered), testing::Not(testing::Contains("no_sources")));
}

TEST_F(SourceCounting, WhatFailsIsToldAndLosesNothing) {
  struct Failure {
    const char *stage, *words;
  };
  for (const Failure& failure :
       {Failure{"counting-without-memory", "no room for the counters"},
        Failure{"counting-dies", "the repetition that counts sources ended with exit status 5"},
        Failure{"counting-for-ever", "the repetition that counts sources ran out of --timeout"}}) {
    SCOPED_TRACE(failure.stage);
    const json counted =
        run(failure.stage, {"--record-profile", "--repetitions", "2", "--timeout", "5"});
    EXPECT_EQ(counted.at("outcome"), "ok");
    EXPECT_EQ(counted.at("samples").size(), 2U);
    EXPECT_TRUE(counted.at("verification").at("passed").get<bool>());
    EXPECT_FALSE(counted.at("factors").at("values_sha256").is_null());
    EXPECT_TRUE(counted.at("profile").at("sources").at("rows").empty());
    EXPECT_THAT(codes_of_warnings(counted), testing::Contains("no_sources"));
    EXPECT_THAT(told_, HasSubstr(failure.words));
  }
}

}  // namespace
}  // namespace lufact::test
