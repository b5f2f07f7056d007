// SPDX-License-Identifier: BSD-3-Clause
// What the driver counts of device memory, beside what the program counts itself.
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"
#include "app/test/long_run.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;

// A problem of some hundred megabytes, in which what the driver's granularity adds is little.
TEST(DeviceMemory, IsCountedByTheDriverOrTheRecordSaysWhyNot) {
  const json doctor = json::parse(run_program({"doctor", "--json"}).out);
  if (doctor.at("device").is_null()) {
    GTEST_SKIP() << doctor.at("device_absent_reason").get<std::string>();
  }
  const TemporaryFolder folder;
  const std::string matrix =
      generate(folder, "cube.mtx", {"grid3d", "--nx", "40", "--ny", "40", "--nz", "40"});
  const std::string output = folder / "memory.json";
  const Outcome outcome =
      run_program({"run", "--matrix", matrix, "--mode", "fast", "--refactor", "1", "--repetitions",
                   "1", "--count-device-memory", "--output", output});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json run = checked_result(output).at("runs").at(0);
  const json& driver = run.at("memory").at("driver");
  ASSERT_FALSE(driver.is_null());
  if (!driver.at("unavailable_reason").is_null()) {
    EXPECT_TRUE(driver.at("peak_bytes").is_null());
    GTEST_SKIP() << driver.at("unavailable_reason").get<std::string>();
  }
  const auto ledger = run.at("memory").at("device_peak_bytes").get<std::uint64_t>();
  const auto counted = driver.at("peak_over_baseline_bytes").get<std::uint64_t>();
  EXPECT_GE(counted, ledger);
  EXPECT_GE(2 * ledger, counted);
  EXPECT_GT(driver.at("readings").get<int>(), 2);
  std::uint64_t named = 0;
  for (const auto& [name, held] : driver.at("held_at_peak").items()) {
    named += held.get<std::uint64_t>();
  }
  EXPECT_LE(named, ledger);
  EXPECT_GE(named, ledger / 10 * 9);
}

}  // namespace
}  // namespace lufact::test
