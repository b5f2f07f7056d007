// SPDX-License-Identifier: BSD-3-Clause
// The section on memory: the keys of what the driver counted, and what follows from each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/consistency.hpp"
#include "core/report/record_json.hpp"
#include "core/report/result_schema.hpp"
#include "core/report/test/sample_records.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json written_run() {
  return json::parse(dump_json(to_json(test::full_run()), 1));
}

std::vector<std::string> violations_with(const json& driver) {
  json run = written_run();
  run["memory"]["driver"].update(driver);
  return run_consistency_violations(run, {sparse_facts()});
}

TEST(MemorySection, IsAsTheSchemaAsks) {
  EXPECT_THAT(run_schema_violations(written_run()), IsEmpty());
  EXPECT_THAT(violations_with(json::object()), IsEmpty());
}

TEST(MemorySection, MissesEveryKeyOfTheDriversCount) {
  for (const auto& [key, value] : written_run().at("memory").at("driver").items()) {
    json run = written_run();
    run["memory"]["driver"].erase(key);
    EXPECT_THAT(run_schema_violations(run), Contains(HasSubstr(key))) << key;
  }
}

TEST(MemorySection, MayLackTheDriversCountOrHaveNone) {
  json run = written_run();
  run["memory"]["driver"] = nullptr;
  EXPECT_THAT(run_schema_violations(run), IsEmpty());
  EXPECT_THAT(run_consistency_violations(run, {sparse_facts()}), IsEmpty());
  run["memory"].erase("driver");  // before 2.3
  EXPECT_THAT(run_schema_violations(run), IsEmpty());
  EXPECT_FALSE(run_from_json(run).memory.driver);
}

TEST(MemorySection, TheDriversFiguresFollowFromEachOther) {
  EXPECT_THAT(violations_with({{"peak_bytes", 2001}}),
              ElementsAre(HasSubstr(".memory.driver: peak_over_baseline_bytes is not")));
  EXPECT_THAT(violations_with({{"over_baseline_by_phase", {{"solve", 1401}}}}),
              ElementsAre(HasSubstr(".memory.driver: phase solve passes the peak")));
  EXPECT_THAT(violations_with({{"unavailable_reason", "none of its business"}}),
              ElementsAre(HasSubstr("either a method or a reason for none")));
  EXPECT_THAT(violations_with({{"method", nullptr}}),
              ElementsAre(HasSubstr("either a method or a reason for none")));
}

TEST(MemorySection, IsTheSameWhenReadAgain) {
  const RunRecord run = test::full_run();
  EXPECT_EQ(to_json(run_from_json(to_json(run))).at("memory"), to_json(run).at("memory"));
}

}  // namespace
}  // namespace lufact
