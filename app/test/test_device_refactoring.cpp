// SPDX-License-Identifier: BSD-3-Clause
// Refactorizations on the GPU as programs there measure them, from the outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/device_data_run.hpp"

namespace lufact::test {
namespace {

using DeviceRefactoring = DeviceRun;

// Values on either side, phases by waits or by events: the solutions are as good, and the record
// says how it was; with values on the device nothing is copied.
TEST_F(DeviceRefactoring, RefactorsWithValuesOnTheDeviceAndWithOneWait) {
  const std::vector<std::string> fronts{"--mode",           "fast",       "--numeric",
                                        "gpu-multifrontal", "--levelize", "task-graph"};
  for (const char* name : {"rail_5177", "cont-201"}) {  // cont-201 needs a step of refinement
    for (const char* values : {"host", "device"}) {
      for (const char* phases : {"waits", "events", "none"}) {
        SCOPED_TRACE(std::string(name) + " " + values + " " + phases);
        const char* const rhs = phases == std::string("none") ? "1" : "2";
        const auto record = run(
            name,
            with({"--rhs", rhs, "--refactor", "3", "--values", values, "--phases", phases}, fronts),
            0);
        EXPECT_EQ(record.at("outcome"), "ok");
        EXPECT_EQ(record.at("refactoring").at("values"), values);
        EXPECT_EQ(record.at("refactoring").at("phases"), phases);
        ASSERT_EQ(record.at("refactor_samples").size(), 3u);
        const auto& sample = record.at("refactor_samples").at(2);
        for (const auto& phase : sample.at("phases")) {
          // Without phases only what is copied behind a step of refinement has one.
          if (phase.at("name") != "transfer" || phases == std::string("none")) continue;
          EXPECT_EQ(phase.at("bytes_h2d") == 0, values == std::string("device"));
          EXPECT_EQ(phase.at("bytes_d2h") == 0, values == std::string("device"));
        }
        EXPECT_GT(sample.at("total_s").get<double>(), 0);
      }
    }
  }
  for (const char* phases : {"waits", "events", "none"}) {
    SCOPED_TRACE(phases);
    const auto transposed = run("memplus",
                                with({"--transpose", "--rhs", "20", "--refactor", "3", "--values",
                                      "device", "--phases", phases},
                                     fronts),
                                0);
    EXPECT_EQ(transposed.at("outcome"), "ok");
    EXPECT_EQ(transposed.at("refactoring").at("phases"), phases);
    EXPECT_EQ(transposed.at("verification").at("refinement_steps"), 0);
  }
  const auto columns =
      run("rail_5177", {"--mode", "ooc", "--refactor", "2", "--values", "device"}, 0);
  EXPECT_EQ(columns.at("outcome"), "ok");
  EXPECT_EQ(columns.at("refactoring").at("values"), "device");
}

}  // namespace
}  // namespace lufact::test
