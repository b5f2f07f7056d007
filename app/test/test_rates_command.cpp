// SPDX-License-Identifier: BSD-3-Clause
// Where runs take their rates from, and `lufact calibrate`, from the outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/test/command_line.hpp"
#include "core/base/test/variable.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void write(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

// Columns that cost next to nothing: `fast-cpu` takes them whatever the matrix.
json quick_columns() {
  const auto rate = [](double value) { return json{{"value", value}, {"origin", "measured"}}; };
  return {{"schema", {{"name", "lufact-rates"}, {"version", "1.0.0"}}},
          {"name", "mine"},
          {"rates",
           {{"few_entries",
             {{"column_entry_once_s", rate(1e-15)},
              {"column_entry_each_s", rate(1e-15)},
              {"column_entry_solve_s", rate(1e-15)}}}}}};
}

json run_grid(const TemporaryFolder& folder) {
  const std::string matrix = folder / "grid.mtx";
  run_program({"generate", "grid2d", "--nx", "60", "--ny", "60", "--output", matrix});
  const Outcome outcome = run_program({"run", matrix, "--mode", "fast-cpu", "--repetitions", "1",
                                       "--warmup", "0", "--output", folder / "out.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json result = read_json(folder / "out.json");
  EXPECT_THAT(schema_violations(result), IsEmpty());
  return result;
}

TEST(Rates, ChangeChoicesAndTheIdAndAreRecorded) {
  const TemporaryFolder folder;
  const std::string file = folder / "rates.json";
  write(file, quick_columns().dump());
  const json shipped = run_grid(folder);
  const Variable rates("LUFACT_RATES", file);
  const json own = run_grid(folder);
  EXPECT_EQ(shipped.at("meta").at("rates").at("name"), "h200-16-cores");
  EXPECT_EQ(shipped.at("meta").at("rates").at("source"), "shipped");
  EXPECT_EQ(own.at("meta").at("rates").at("name"), "mine");
  EXPECT_EQ(own.at("meta").at("rates").at("source"), file);
  EXPECT_NE(own.at("meta").at("rates").at("sha256"), shipped.at("meta").at("rates").at("sha256"));
  EXPECT_EQ(shipped.at("runs")[0].at("pipeline").at("numeric"), "cpu-multifrontal");
  EXPECT_EQ(own.at("runs")[0].at("pipeline").at("numeric"), "cpu");
  EXPECT_NE(own.at("runs")[0].at("id"), shipped.at("runs")[0].at("id"));
}

TEST(Rates, ComeFromTheUsersFolderWhereNoneAreNamed) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "lufact");
  write(folder / "lufact/rates.json", quick_columns().dump());
  const Variable home("XDG_CONFIG_HOME", folder.path());
  EXPECT_THAT(run_program({"doctor"}).out, HasSubstr("rates   h200-16-cores (shipped)"));
  const Variable none("LUFACT_RATES", "");
  const json doctor = json::parse(run_program({"doctor", "--json"}).out);
  EXPECT_EQ(doctor.at("rates").at("name"), "mine");
  EXPECT_EQ(doctor.at("rates").at("source"), folder / "lufact/rates.json");
  EXPECT_THAT(doctor.at("rates").at("origins").get<std::string>(), HasSubstr("3 measured"));
}

void expect_usage_error(const std::string& file, const json& content, const std::string& key) {
  write(file, content.dump());
  const Outcome outcome = run_program({"doctor"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(file), HasSubstr(key)));
}

TEST(Rates, OfABadFileAreAUsageErrorThatNamesFileAndKey) {
  const TemporaryFolder folder;
  const std::string file = folder / "rates.json";
  const Variable rates("LUFACT_RATES", file);
  EXPECT_EQ(run_program({"doctor"}).status, 2);  // there is none
  json wrong = quick_columns();
  wrong["schema"]["name"] = "lufact-result";
  expect_usage_error(file, wrong, "schema.name");
  wrong = quick_columns();
  wrong.erase("name");
  expect_usage_error(file, wrong, "'name'");
  wrong = quick_columns();
  wrong["rates"]["few_entries"]["column_entry_sometimes_s"] = {{"value", 1}};
  expect_usage_error(file, wrong, "few_entries.column_entry_sometimes_s");
  for (const json& value : {json(-1), json(0), json("1"), json(nullptr)}) {
    wrong = quick_columns();
    wrong["rates"]["few_entries"]["column_entry_once_s"]["value"] = value;
    expect_usage_error(file, wrong, "few_entries.column_entry_once_s");
  }
  wrong = quick_columns();
  wrong["rates"]["few_entries"]["column_entry_once_s"]["origin"] = "guessed";
  expect_usage_error(file, wrong, "few_entries.column_entry_once_s");
  write(file, "{");
  EXPECT_THAT(run_program({"doctor"}).err, AllOf(HasSubstr(file), HasSubstr("JSON")));
}

TEST(Calibrate, WritesAFileThatRunsTake) {
  const TemporaryFolder folder;
  const std::string file = folder / "own.json";
  const Outcome outcome = run_program({"calibrate", "--output", file, "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  const json written = read_json(file);
  EXPECT_FALSE(written.at("steps").at("measured").empty());
  EXPECT_EQ(written.at("rates").at("host_fronts").at("row_s").at("origin"), "scaled");
  EXPECT_EQ(written.at("rates").at("order_thresholds").at("metis_saves").at("origin"), "shipped");
  const Variable rates("LUFACT_RATES", file);
  EXPECT_EQ(run_grid(folder).at("meta").at("rates").at("source"), file);
}

}  // namespace
}  // namespace lufact::test
