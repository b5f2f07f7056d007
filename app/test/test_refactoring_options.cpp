// SPDX-License-Identifier: BSD-3-Clause
// --values and --phases of `lufact run`: who takes them, and what records of solvers on the host
// say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class RefactoringOptions : public testing::Test {
 protected:
  void SetUp() override {
    matrix_ = generate(folder_, "grid.mtx", {"grid2d", "--nx", "8", "--ny", "7"});
  }

  void expect_usage(std::vector<std::string> options, const std::string& text) {
    options.insert(options.begin(), {"run", "--matrix", matrix_});
    const Outcome outcome = run_program(options);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(text));
  }

  json run_of(std::vector<std::string> options) {
    const std::string output = folder_ / "out.json";
    options.insert(options.begin(), {"run", "--matrix", matrix_, "--output", output});
    const Outcome outcome = run_program(options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const Outcome valid = run_program({"validate", output});
    EXPECT_EQ(valid.status, 0) << valid.err;
    return read_json(output).at("runs").at(0);
  }

  TemporaryFolder folder_;
  std::string matrix_;
};

TEST_F(RefactoringOptions, AreRefusedWhereNothingWouldReadThem) {
  expect_usage({"--mode", "cpu", "--values", "device"}, "--values device is of refactorizations");
  expect_usage({"--mode", "fast", "--phases", "events"}, "give --refactor N too");
  expect_usage({"--mode", "cpu", "--refactor", "2", "--values", "here"}, "--values");
}

TEST_F(RefactoringOptions, NameTheStagesThatCan) {
  expect_usage({"--mode", "cpu", "--refactor", "2", "--values", "device"},
               "--values device: --numeric cpu cannot; accepted: ");
  expect_usage({"--mode", "ooc", "--refactor", "2", "--phases", "events"},
               "--phases events: --numeric gpu-auto cannot; accepted: gpu-multifrontal");
  expect_usage({"--mode", "fast-cpu", "--refactor", "2", "--phases", "events"}, "cpu-multifrontal");
}

TEST_F(RefactoringOptions, AreInTheRecordAsTheyTurnedOut) {
  EXPECT_TRUE(run_of({"--mode", "cpu"}).at("refactoring").is_null());
  const json refactored = run_of({"--mode", "cpu", "--refactor", "2"});
  EXPECT_EQ(refactored.at("refactoring"), json({{"values", "host"}, {"phases", "waits"}}));
}

}  // namespace
}  // namespace lufact::test
