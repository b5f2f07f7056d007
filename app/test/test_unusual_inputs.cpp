// SPDX-License-Identifier: BSD-3-Clause
// Every malformed or unusual file gets its documented outcome and exit status from the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

TEST(UnusualInputs, GetTheirDocumentedAnswer) {
  const std::filesystem::path inputs = located("LUFACT_TEST_INPUTS", LUFACT_TEST_INPUTS);
  const TemporaryFolder folder;
  const std::string output = folder / "out.json";
  std::ifstream table(inputs / "expected.tsv");
  std::string header;
  std::getline(table, header);
  int tried = 0;
  for (std::string row; std::getline(table, row); ++tried) {
    std::istringstream cells(row);
    std::string file, outcome, code, line, status;
    std::getline(cells, file, '\t');
    std::getline(cells, outcome, '\t');
    std::getline(cells, code, '\t');
    std::getline(cells, line, '\t');
    std::getline(cells, status, '\t');
    const Outcome answer = run_program(
        {"run", "--matrix", (inputs / file).string(), "--mode", "cpu", "--output", output});
    if (status == "-") {
      EXPECT_THAT(answer.status, testing::AnyOf(0, 3)) << file << answer.err;
    } else {
      EXPECT_EQ(answer.status, std::stoi(status)) << file << answer.err;
    }
    if (outcome == "ok") continue;
    const auto result = read_json(output);
    EXPECT_THAT(schema_violations(result), testing::IsEmpty()) << file;
    const auto run = result.at("runs").at(0);
    EXPECT_EQ(run.at("outcome"), outcome) << file;
    EXPECT_EQ(run.at("error").at("code"), code) << file;
    if (line != "-") {
      EXPECT_THAT(run.at("error").at("message").get<std::string>(),
                  testing::AllOf(testing::HasSubstr(file), testing::HasSubstr(":" + line + ":")))
          << file;
    }
  }
  EXPECT_GE(tried, 60);
}

}  // namespace
}  // namespace lufact::test
