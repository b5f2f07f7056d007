// SPDX-License-Identifier: BSD-3-Clause
// Machines of several devices from the outside: simulated ones, those of one process, and ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/device_data_run.hpp"
#include "core/base/test/variable.hpp"

namespace lufact::test {
namespace {

using DevicesRun = DeviceRun;

// A symmetric and an unsymmetric one: a process that opens four devices takes seconds, and all
// matrices are in the record results/h200/gsofa-real-devices.
constexpr const char* few_matrices[] = {"rail_5177", "bayer10"};

TEST_F(DevicesRun, ASimulatedMachineIsToldFromOneThatIsThere) {
  const auto record = run("bcsstk18",
                          {"--mode", "gsofa", "--until", "symbolic", "--gsofa-virtual", "2x3",
                           "--gsofa-inter", "block", "--gsofa-intra", "chunks"},
                          0);
  const auto& distribution = record.at("distribution");
  EXPECT_TRUE(distribution.at("simulated").get<bool>());
  EXPECT_EQ(distribution.at("slices").size(), 6U);
  EXPECT_EQ(distribution.at("inter"), "block");
  EXPECT_LT(distribution.at("simulated_s").get<double>(),
            record.at("summary").at("total_s").at("median").get<double>());
  EXPECT_TRUE(
      run("bcsstk18", {"--mode", "gsofa", "--until", "symbolic"}, 0).at("distribution").is_null());
}

TEST_F(DevicesRun, TwoDevicesGiveWhatOneGives) {
  const auto doctor = nlohmann::json::parse(run_program({"doctor", "--json"}).out);
  const std::vector<std::string> symbolic{"--mode",   "gsofa",    "--until",
                                          "symbolic", "--verify", "full"};
  if (doctor.at("other_devices").empty()) GTEST_SKIP() << "this host has one device";
  for (const char* name : few_matrices) {
    SCOPED_TRACE(name);
    const auto one = run(name, symbolic, 0);
    for (const char* intra : {"rows", "chunks"}) {
      const auto two = run(name, with(symbolic, {"--devices", "0,1", "--gsofa-intra", intra}), 0);
      EXPECT_EQ(two.at("factors").at("pattern_sha256"), one.at("factors").at("pattern_sha256"));
      EXPECT_EQ(two.at("supernodes"), one.at("supernodes"));
      EXPECT_EQ(two.at("distribution").at("slices").size(), 2U);
      EXPECT_FALSE(two.at("distribution").at("simulated").get<bool>());
    }
  }
}

TEST_F(DevicesRun, RanksGiveWhatOneProcessGives) {
  const Variable root("OMPI_ALLOW_RUN_AS_ROOT", "1"), sure("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  const auto doctor = nlohmann::json::parse(run_program({"doctor", "--json"}).out);
  const auto& mpi = doctor.at("mpi");
  if (!mpi.at("can_run").get<bool>()) GTEST_SKIP() << mpi.at("reason").get<std::string>();
  struct Shape {
    const char *ranks, *devices, *exchange;
    std::size_t slices;
  };
  std::vector<Shape> shapes{{"1", "0", "mpi", 1}};
  if (!doctor.at("other_devices").empty()) {
    shapes.insert(shapes.end(), {{"1", "0,1", "mpi", 2}, {"2", "0,1", "mpi", 2}});
    if (doctor.at("nccl").at("can_run").get<bool>()) shapes.push_back({"2", "0,1", "nccl", 2});
  }
  const std::vector<std::string> symbolic{"--mode",   "gsofa",    "--until",
                                          "symbolic", "--verify", "full"};
  for (const char* name : few_matrices) {
    const auto one = run(name, symbolic, 0);
    for (const Shape& shape : shapes) {
      SCOPED_TRACE(testing::Message()
                   << name << " on " << shape.ranks << " ranks by " << shape.exchange);
      const auto shared = run(name,
                              with(symbolic, {"--devices", shape.devices, "--ranks", shape.ranks,
                                              "--exchange", shape.exchange}),
                              0);
      EXPECT_EQ(shared.at("factors").at("pattern_sha256"), one.at("factors").at("pattern_sha256"));
      EXPECT_EQ(shared.at("supernodes"), one.at("supernodes"));
      EXPECT_EQ(shared.at("distribution").at("slices").size(), shape.slices);
      EXPECT_EQ(shared.at("distribution").at("transport"), shape.exchange);
    }
  }
}

// Sources of all devices and ranks, each counted once, beside the sample of a search without.
void expect_sources(const nlohmann::json& record) {
  const auto& sources = record.at("profile").at("sources");
  std::int64_t rows = 0, edges = 0;
  for (const auto& count : sources.at("rows")) rows += count.get<std::int64_t>();
  for (const auto& count : sources.at("edges")) edges += count.get<std::int64_t>();
  EXPECT_EQ(rows, record.at("matrix").at("n").get<std::int64_t>());
  EXPECT_GT(edges, record.at("gsofa").at("edges_checked").get<std::int64_t>() / 2);
  EXPECT_EQ(record.at("samples").size(), 1U);
}

TEST_F(DevicesRun, SourcesOfAllOfThemAreCounted) {
  const Variable root("OMPI_ALLOW_RUN_AS_ROOT", "1"), sure("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  const auto doctor = nlohmann::json::parse(run_program({"doctor", "--json"}).out);
  const bool ranks = doctor.at("mpi").at("can_run").get<bool>();
  const std::vector<std::string> profiled{"--mode", "gsofa", "--until", "symbolic",
                                          "--record-profile"};
  expect_sources(run("bcsstk18", profiled, 0));
  expect_sources(run("bcsstk18", with(profiled, {"--gsofa-virtual", "1x2"}), 0));
  if (ranks) expect_sources(run("bcsstk18", with(profiled, {"--ranks", "1"}), 0));
  if (doctor.at("other_devices").empty()) return;
  expect_sources(run("bcsstk18", with(profiled, {"--devices", "0,1"}), 0));
  if (ranks) {
    expect_sources(run("bcsstk18", with(profiled, {"--devices", "0,1", "--ranks", "2"}), 0));
  }
}

TEST_F(DevicesRun, RanksThatCannotShareOutTheDevicesAreToldSo) {
  const Variable root("OMPI_ALLOW_RUN_AS_ROOT", "1"), sure("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  const auto mpi = nlohmann::json::parse(run_program({"doctor", "--json"}).out).at("mpi");
  if (!mpi.at("can_run").get<bool>()) GTEST_SKIP() << mpi.at("reason").get<std::string>();
  const auto record =
      run("bcsstk18", {"--mode", "gsofa", "--until", "symbolic", "--ranks", "2"}, 3);
  EXPECT_EQ(record.at("outcome"), "unsupported");
  EXPECT_EQ(record.at("error").at("code"), "ranks_and_devices");
}

TEST_F(DevicesRun, RanksWithoutNcclAreToldWhatToDo) {
  const Variable root("OMPI_ALLOW_RUN_AS_ROOT", "1"), sure("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  const auto mpi = nlohmann::json::parse(run_program({"doctor", "--json"}).out).at("mpi");
  if (!mpi.at("can_run").get<bool>()) GTEST_SKIP() << mpi.at("reason").get<std::string>();
  const Variable nowhere("LUFACT_NCCL_ROOT", "/nowhere");
  const auto record = run("bcsstk18",
                          {"--mode", "gsofa", "--until", "symbolic", "--devices", "0", "--ranks",
                           "1", "--exchange", "nccl"},
                          3);
  EXPECT_EQ(record.at("outcome"), "unsupported");
  EXPECT_EQ(record.at("error").at("code"), "no_nccl");
  const std::string message = record.at("error").at("message").get<std::string>();
  EXPECT_THAT(message, testing::HasSubstr("no libnccl.so.2 in LUFACT_NCCL_ROOT=/nowhere"));
  EXPECT_THAT(message, testing::HasSubstr("--exchange mpi"));
}

}  // namespace
}  // namespace lufact::test
