// SPDX-License-Identifier: BSD-3-Clause
// `lufact doctor --measure`, and what records have of peaks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/test/command_line.hpp"
#include "core/base/test/variable.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

void write(const std::string& path, const json& content) {
  std::ofstream(path) << content.dump();
}

json run_grid(const TemporaryFolder& folder) {
  const std::string matrix = generate(folder, "grid.mtx", {"grid2d", "--nx", "20", "--ny", "20"});
  const Outcome outcome =
      run_program({"run", "--matrix", matrix, "--mode", "cpu", "--repetitions", "1", "--warmup",
                   "0", "--refactor", "1", "--output", folder / "out.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(run_program({"validate", folder / "out.json"}).status, 0);
  return read_json(folder / "out.json");
}

// The file of a machine that multiplies and adds 1e12 times a second.
json peaks_of(const json& host) {
  return {{"schema", {{"name", "lufact-peaks"}, {"version", "1.0.0"}}},
          {"hosts",
           {{{"cpu_model", host.at("cpu_model")},
             {"threads", host.at("threads")},
             {"measured_threads", 4},
             {"copy_bytes_per_s", 1e10},
             {"fp64_flops_per_s", 1e12},
             {"measured_at", "2026-01-01T00:00:00Z"}}}},
          {"devices", json::array()}};
}

json this_host() {
  return json::parse(run_program({"doctor", "--json"}).out).at("host");
}

TEST(Peaks, AreMeasuredOnceAndKeptInTheCacheFolder) {
  const TemporaryFolder folder;
  const Variable cache("XDG_CACHE_HOME", folder.path()), none("LUFACT_PEAKS", "");
  EXPECT_THAT(run_program({"doctor"}).out, HasSubstr("peaks   not measured here"));
  const Outcome measured = run_program({"doctor", "--measure"});
  ASSERT_EQ(measured.status, 0) << measured.err;
  EXPECT_THAT(measured.out, AllOf(HasSubstr("peaks   host: copy "), HasSubstr("flop/s")));
  const json kept = read_json(folder / "lufact/peaks.json");
  ASSERT_EQ(kept.at("hosts").size(), 1u);
  EXPECT_GT(kept["hosts"][0].at("fp64_flops_per_s").get<double>(), 1e7);
  EXPECT_GT(kept["hosts"][0].at("copy_bytes_per_s").get<double>(), 1e7);
  const json doctor = json::parse(run_program({"doctor", "--json"}).out);
  EXPECT_EQ(doctor.at("peaks").at("source"), folder / "lufact/peaks.json");
  EXPECT_EQ(doctor["peaks"]["host"]["fp64_flops_per_s"], kept["hosts"][0]["fp64_flops_per_s"]);
}

TEST(Peaks, OfOtherMachinesAreKeptAndNotTaken) {
  const TemporaryFolder folder;
  const std::string file = folder / "peaks.json";
  json others = peaks_of({{"cpu_model", "another"}, {"threads", 3}});
  write(file, others);
  const Variable peaks("LUFACT_PEAKS", file);
  EXPECT_THAT(run_program({"doctor"}).out, HasSubstr("peaks   not measured here"));
  ASSERT_EQ(run_program({"doctor", "--measure"}).status, 0);
  ASSERT_EQ(run_program({"doctor", "--measure"}).status, 0);
  const json kept = read_json(file);
  ASSERT_EQ(kept.at("hosts").size(), 2u);
  EXPECT_EQ(kept["hosts"][0], others["hosts"][0]);
}

TEST(Peaks, AreInRecordsAndGiveSharesOfThem) {
  const TemporaryFolder folder;
  const Variable cache("XDG_CACHE_HOME", folder.path()), none("LUFACT_PEAKS", "");
  json numeric = run_grid(folder).at("runs")[0].at("rates").at("numeric");
  EXPECT_GT(numeric.at("flops_per_s").get<double>(), 0);
  EXPECT_GT(numeric.at("share_of_total").get<double>(), 0);
  EXPECT_TRUE(numeric.at("flops_peak_share").is_null());
  const std::string file = folder / "peaks.json";
  write(file, peaks_of(this_host()));
  const Variable peaks("LUFACT_PEAKS", file);
  const json result = run_grid(folder);
  EXPECT_THAT(schema_violations(result), IsEmpty());
  EXPECT_EQ(result.at("meta").at("peaks").at("source"), file);
  EXPECT_EQ(result["meta"]["peaks"]["host"]["threads"], 4);
  numeric = result["runs"][0]["rates"]["numeric"];
  EXPECT_DOUBLE_EQ(numeric["flops_peak_share"].get<double>(),
                   numeric["flops_per_s"].get<double>() / 1e12);
  const json again = result["runs"][0]["refactor_rates"]["numeric"];
  EXPECT_EQ(again.at("flops"), numeric.at("flops"));
}

TEST(Peaks, OfABadFileAreAUsageErrorThatNamesIt) {
  const TemporaryFolder folder;
  const std::string file = folder / "peaks.json";
  json wrong = peaks_of(this_host());
  const Variable peaks("LUFACT_PEAKS", file);
  EXPECT_EQ(run_program({"doctor"}).status, 2);  // there is none
  for (const json& value : {json(0), json(-1), json("1"), json(nullptr)}) {
    wrong["hosts"][0]["fp64_flops_per_s"] = value;
    write(file, wrong);
    const Outcome outcome = run_program({"doctor"});
    EXPECT_EQ(outcome.status, 2) << value;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(file), HasSubstr("doctor --measure"))) << value;
  }
  std::ofstream(file) << "{";
  EXPECT_THAT(run_program({"doctor"}).err, HasSubstr("is no file of lufact-peaks"));
}

}  // namespace
}  // namespace lufact::test
