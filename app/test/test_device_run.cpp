// SPDX-License-Identifier: BSD-3-Clause
// The GPU line from the outside: it agrees with the CPU line, keeps to its budget, and says what it
// needs where it cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "app/test/device_data_run.hpp"

namespace lufact::test {
namespace {

TEST_F(DeviceRun, RefusesComplexMatrices) {
  EXPECT_EQ(run("gun_T", {"--mode", "ooc"}, 3).at("outcome"), "unsupported");
}

TEST_F(DeviceRun, AgreesWithTheCpuOnEveryRealMatrix) {
  const std::vector<std::string> names = real_matrix_names();
  const auto cpu_runs =
      run_all(names, {"--mode", "cpu", "--until", "levelize", "--verify", "none"}, 0);
  const auto ooc_runs = run_all(names, {"--mode", "ooc"}, 0);
  ASSERT_EQ(cpu_runs.size(), names.size());
  ASSERT_EQ(ooc_runs.size(), names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    SCOPED_TRACE(names[k]);
    const auto& cpu = cpu_runs.at(k);
    const auto& ooc = ooc_runs.at(k);
    EXPECT_EQ(ooc.at("matrix").at("name"), names[k]);
    EXPECT_EQ(ooc.at("outcome"), "ok");
    EXPECT_LE(ooc.at("verification").at("backward_error").get<double>(), 1e-13);
    EXPECT_EQ(ooc.at("factors").at("pattern_sha256"), cpu.at("factors").at("pattern_sha256"));
    EXPECT_EQ(ooc.at("factors").at("levels_by_rule"), cpu.at("factors").at("levels_by_rule"));
    EXPECT_EQ(ooc.at("factors").at("levels"), cpu.at("factors").at("levels_by_rule").at("relaxed"));
  }
}

TEST_F(DeviceRun, SolvesWithTheTransposeForOneAndForManyRightHandSides) {
  for (const char* columns : {"1", "40"}) {
    SCOPED_TRACE(columns);
    const auto record =
        run("memplus", {"--mode", "fast", "--transpose", "--rhs", columns, "--refactor", "2"}, 0);
    EXPECT_EQ(record.at("pipeline").at("numeric"), "gpu-multifrontal");
    EXPECT_LE(record.at("verification").at("backward_error").get<double>(), 1e-13);
  }
}

TEST_F(DeviceRun, CountsPageFaultsApartOrSaysWhyNot) {
  const auto record =
      run("bcsstk18", {"--mode", "um", "--count-page-faults", "--until", "symbolic"}, 0);
  const auto& unified = record.at("unified_memory");
  ASSERT_FALSE(unified.is_null());
  if (!unified.at("unavailable_reason").is_null()) {
    EXPECT_TRUE(unified.at("gpu_page_fault_groups").is_null());
    GTEST_SKIP() << unified.at("unavailable_reason").get<std::string>();
  }
  EXPECT_GT(unified.at("gpu_page_fault_records").get<double>(), 0);
  EXPECT_GE(unified.at("gpu_page_fault_groups").get<double>(),
            unified.at("gpu_page_fault_records").get<double>());
  EXPECT_GT(unified.at("fault_service_s").get<double>(), 0);
  EXPECT_GT(unified.at("symbolic_s").get<double>(), 0);
}

TEST_F(DeviceRun, HasTheGoldenCountsInNaturalOrder) {
  std::vector<std::string> names;
  std::vector<nlohmann::json> lines;
  for (const auto& expected : golden()) {
    if (expected.at("nnz_u").get<double>() > 3e6) continue;  // those that fit in a few seconds
    lines.push_back(expected);
    names.push_back(expected.at("matrix"));
  }
  for (const char* rule : {"relaxed", "exact", "glu1"}) {
    // The validator rejects the levels of glu1 where they are unsafe: here they are only counted.
    const std::string verify = rule == std::string("glu1") ? "none" : "residual";
    const auto runs = run_all(
        names, with({"--mode", "ooc", "--dependency", rule, "--verify", verify}, golden_options),
        0);
    ASSERT_EQ(runs.size(), names.size());
    for (std::size_t k = 0; k < lines.size(); ++k) {
      SCOPED_TRACE(names[k]);
      expect_golden(runs.at(k), lines[k]);
      EXPECT_EQ(runs.at(k).at("factors").at("levels"), lines[k].at("levels_" + std::string(rule)));
    }
  }
}

TEST_F(DeviceRun, RejectsTheLevelsOfGlu1WhereTheyAreUnsafe) {
  const auto record =
      run("adder_dcop_05", with({"--mode", "ooc", "--dependency", "glu1"}, golden_options), 3);
  EXPECT_EQ(record.at("outcome"), "inaccurate");
  EXPECT_FALSE(record.at("error").at("message").get<std::string>().empty());
}

TEST_F(DeviceRun, KeepsToEveryBudgetWithTheSamePattern) {
  const std::vector<std::string> symbolic{"--mode",   "ooc",      "--until",
                                          "symbolic", "--verify", "none"};
  const std::vector<std::string> names{"cryg2500",     "bcsstk18",      "rail_5177",
                                       "mult_dcop_01", "ckt11752_dc_1", "af23560"};
  const auto unlimited = run_all(names, symbolic, 0);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& name = names[k];
    SCOPED_TRACE(name);
    const auto& free = unlimited.at(k);
    const std::uint64_t resident = bytes(free, "resident_bytes");
    const std::uint64_t scratch = bytes(free, "scratch_peak_bytes");
    auto chunks = free.at("memory").at("chunks").get<int>();
    for (const std::uint64_t share : {2, 8, 64}) {
      const std::uint64_t limit = resident + scratch / share;
      const auto record =
          run(name, with(symbolic, {"--device-memory-limit", std::to_string(limit) + "B"}), 0);
      EXPECT_EQ(record.at("factors").at("pattern_sha256"), free.at("factors").at("pattern_sha256"));
      EXPECT_GT(record.at("memory").at("chunks").get<int>(), chunks) << "S/" << share;
      EXPECT_LE(bytes(record, "device_peak_bytes"), limit);
      chunks = record.at("memory").at("chunks").get<int>();
    }
  }
}

TEST_F(DeviceRun, EveryWayToHoldTheWorkArraysGivesTheSamePattern) {
  const std::vector<std::string> symbolic{"--until", "symbolic", "--verify", "none"};
  for (const char* name : {"bcsstk18", "rail_5177", "bayer10"}) {
    SCOPED_TRACE(name);
    const auto expected = run(name, with(symbolic, {"--mode", "cpu"}), 0).at("factors");
    for (const std::vector<std::string>& way : std::vector<std::vector<std::string>>{
             {"--mode", "ooc-naive"},
             {"--mode", "um"},
             {"--mode", "um-prefetch"},
             {"--mode", "ooc", "--symbolic", "gpu-in-core"},
             {"--mode", "ooc", "--symbolic", "gpu-fill2-plain"},
             {"--mode", "gsofa"},
             {"--mode", "gsofa", "--gsofa-layout", "merged"},
             {"--mode", "gsofa", "--gsofa-space", "none"},
             {"--mode", "gsofa", "--gsofa-budget", "4MB"},
             {"--mode", "gsofa", "--gsofa-virtual", "2x3"},
             {"--mode", "um", "--um-bytes", "20MB", "--um-host-start"},
             {"--mode", "um-prefetch", "--um-bytes", "20MB", "--um-evict-between-chunks"}}) {
      SCOPED_TRACE(testing::PrintToString(way));
      const auto record = run(name, with(symbolic, way), 0);
      EXPECT_EQ(record.at("factors").at("pattern_sha256"), expected.at("pattern_sha256"));
      const bool managed = way[1].starts_with("um");
      EXPECT_EQ(bytes(record, "managed_peak_bytes") > 0, managed);
      if (way.size() == 2 && managed) {
        EXPECT_EQ(record.at("memory").at("chunks"), 1);
      }
      if (way.size() > 4) {
        EXPECT_LE(bytes(record, "managed_peak_bytes"), 20000000u);
      }
    }
  }
}

TEST_F(DeviceRun, SupernodesAreTheSameWhoeverFindsThem) {
  const std::vector<std::string> symbolic{"--until", "symbolic", "--verify", "full"};
  for (const char* name : {"bcsstk18", "rail_5177", "bayer10"}) {
    SCOPED_TRACE(name);
    const auto expected =
        run(name, with(symbolic, {"--mode", "cpu", "--supernodes", "t3"}), 0).at("supernodes");
    for (const std::vector<std::string>& way : std::vector<std::vector<std::string>>{
             {"--mode", "gsofa"},
             {"--mode", "gsofa", "--gsofa-concurrency", "50"},
             {"--mode", "gsofa", "--gsofa-virtual", "3x2"},
             {"--mode", "ooc", "--symbolic", "gpu-panels", "--supernodes", "t3"}}) {
      SCOPED_TRACE(testing::PrintToString(way));
      const auto record = run(name, with(symbolic, way), 0);
      EXPECT_EQ(record.at("supernodes"), expected);
      EXPECT_EQ(record.at("gsofa").is_null(), way[1] != "gsofa");
    }
  }
}

TEST_F(DeviceRun, NamesTheResidentBytesThatALimitDoesNotHold) {
  for (const char* name : {"memplus", "bcsstk18", "rail_5177"}) {
    SCOPED_TRACE(name);
    // gpu-auto is checked by the larger of its two engines' needs; one engine's sum is exact.
    const std::vector<std::string> exact{"--mode", "ooc", "--numeric", "gpu-dense"};
    const auto whole = run(name, exact, 0);
    // Two vectors are made where a solution is refined, and are part of the sum in any case.
    const bool refined = whole.at("verification").at("refinement_steps").get<int>() > 0;
    const auto vectors = 2 * sizeof(double) * whole.at("matrix").at("n").get<std::uint64_t>();
    const std::uint64_t needed = bytes(whole, "resident_bytes") + (refined ? 0 : vectors);
    for (const std::uint64_t limit : {needed - 1, needed / 2, needed / 50}) {
      const auto record =
          run(name, with(exact, {"--device-memory-limit", std::to_string(limit) + "B"}), 3);
      EXPECT_EQ(record.at("outcome"), "oom_device");
      const std::string message = record.at("error").at("message").get<std::string>();
      EXPECT_THAT(message, testing::HasSubstr("resident"));
      // Once the size of the factors is known, the whole sum is named.
      if (limit == needed / 2) {
        EXPECT_THAT(message, testing::HasSubstr(std::to_string(needed) + " bytes) in all"));
      }
    }
  }
}

TEST_F(DeviceRun, FactorsOnTheHostHaveTheBitsOfThoseOnTheDevice) {
  const std::vector<std::string> fronts{"--mode",     "fast", "--numeric", "gpu-multifrontal",
                                        "--refactor", "2",    "--rhs",     "5"};
  for (const char* name : {"bcsstk18", "memplus", "rail_5177"}) {
    SCOPED_TRACE(name);
    const auto whole = run(name, fronts, 0),
               parts = run(name, with(fronts, {"--factors", "host"}), 0);
    EXPECT_EQ(parts.at("factors").at("values_sha256"), whole.at("factors").at("values_sha256"));
    EXPECT_TRUE(whole.at("memory").at("factors_parts").is_null());
    EXPECT_GE(parts.at("memory").at("factors_parts").get<int>(), 1);
    EXPECT_GT(bytes(parts, "factors_host_bytes"), 0u);
    EXPECT_EQ(parts.at("pipeline").at("choices").back().at("chosen"), "host");
    const std::string limit = std::to_string(bytes(whole, "device_peak_bytes") / 20) + "B";
    const auto refused = run(name, with(fronts, {"--device-memory-limit", limit}), 3);
    EXPECT_EQ(refused.at("outcome"), "oom_device");
  }
}

TEST_F(DeviceRun, GivesTheSamePatternAndLevelsTwice) {
  for (const char* name : {"mult_dcop_01", "bayer10", "ACTIVSg200_AC_KKT"}) {
    const auto first = run(name, {"--mode", "ooc"}, 0).at("factors");
    const auto second = run(name, {"--mode", "ooc"}, 0).at("factors");
    EXPECT_EQ(first.at("pattern_sha256"), second.at("pattern_sha256")) << name;
    EXPECT_EQ(first.at("levels_sha256"), second.at("levels_sha256")) << name;
  }
}

TEST_F(DeviceRun, RefactorsAndSolvesSeveralRightHandSidesInBothPrecisions) {
  for (const char* precision : {"double", "float"}) {
    for (const char* method : {"sync-free", "level"}) {
      const auto record = run("add20",
                              {"--mode", "ooc", "--precision", precision, "--solve", method,
                               "--rhs", "3", "--refactor", "3", "--verify", "full"},
                              0);
      EXPECT_EQ(record.at("outcome"), "ok") << precision << " " << method;
      EXPECT_EQ(record.at("refactor_samples").size(), 3u);
    }
  }
}

// Without matching, 4000 of its pivots are zero where they stand.
TEST_F(DeviceRun, ExchangesRowsInsideDiagonalBlocks) {
  const auto record = run(
      "ScaleMicrogrid_N1000_01",
      {"--mode", "fast", "--numeric", "gpu-multifrontal", "--ordering", "amd", "--scaling", "none",
       "--pivoting", "diagonal-block", "--rhs", "5", "--refactor", "2", "--verify", "full"},
      0);
  EXPECT_EQ(record.at("outcome"), "ok");
  EXPECT_EQ(record.at("numeric").at("perturbed_pivots"), 0);
  EXPECT_GT(record.at("numeric").at("exchanged_rows").get<double>(), 0);
}

// The entries of the first are placed on the host, those of the second, which are more, on the
// device.
constexpr std::array placed_either_way{"rail_5177", "bcsstk18"};

void expect_values_and_vectors_alone(const nlohmann::json& record) {
  EXPECT_EQ(record.at("outcome"), "ok");
  EXPECT_THAT(record.at("warnings").dump(), testing::Not(testing::HasSubstr("pageable_copies")));
  const auto n = record.at("matrix").at("n").get<std::uint64_t>();
  const auto nnz = record.at("matrix").at("nnz").get<std::uint64_t>();
  const auto& sample = record.at("refactor_samples").at(1);
  for (const auto& phase : sample.at("phases")) {
    if (phase.at("name") != "transfer") continue;
    EXPECT_EQ(phase.at("bytes_h2d"), 8 * (nnz + 2 * n));
    EXPECT_EQ(phase.at("bytes_d2h"), 8 * 2 * n);
    EXPECT_EQ(phase.at("control_reads"), 0u);
  }
}

// A refactorization brings new values and right-hand sides and returns the solutions, whether it
// was announced or not.
TEST_F(DeviceRun, RefactorizationsCopyValuesAndVectorsAlone) {
  for (const std::vector<std::string>& chain : std::vector<std::vector<std::string>>{
           {"--mode", "ooc"},
           {"--mode", "ooc", "--precision", "float"},
           {"--mode", "fast", "--numeric", "gpu-multifrontal", "--levelize", "task-graph"}}) {
    for (const char* name : placed_either_way) {
      for (const char* announced : {"2", "0"}) {
        SCOPED_TRACE(std::string(name) + ", " + chain.back() + ", announced: " + announced);
        expect_values_and_vectors_alone(run(
            name,
            with({"--rhs", "2", "--refactor", "2", "--expect-refactorizations", announced}, chain),
            0));
      }
    }
  }
}

// Whatever follows, and whether it is chosen or named.
TEST_F(DeviceRun, FrontsFoundOnTheDeviceGiveTheFactorsOfThoseFoundOnTheHost) {
  for (const std::vector<std::string>& chain : std::vector<std::vector<std::string>>{
           {"--numeric", "gpu-multifrontal", "--levelize", "task-graph"},
           {"--numeric", "cpu-multifrontal", "--levelize", "subtrees"},
           {"--numeric", "select", "--levelize", "select"}}) {
    for (const char* name : placed_either_way) {
      SCOPED_TRACE(name + (", " + chain.at(1)));
      const auto factors_of = [&](const char* symbolic) {
        const auto record = run(name,
                                with({"--mode", "fast", "--symbolic", symbolic, "--ordering", "amd",
                                      "--refactor", "1", "--verify", "full"},
                                     chain),
                                0);
        EXPECT_EQ(record.at("outcome"), "ok");
        EXPECT_EQ(record.at("pipeline").at("symbolic"), symbolic);
        return record.at("factors");
      };
      EXPECT_EQ(factors_of("gpu-fronts"), factors_of("cpu-fronts"));
    }
  }
}

// Its factors grow by 2.8e9, which the engine does not watch and the validator has to find.
TEST_F(DeviceRun, FactorsThatGrowPassTheirValidator) {
  const auto record =
      run("bayer10",
          {"--mode", "fast", "--ordering", "amd", "--symbolic", "gpu-fronts", "--levelize",
           "task-graph", "--numeric", "gpu-multifrontal", "--scaling", "mc64", "--verify", "full"},
          0);
  EXPECT_EQ(record.at("outcome"), "ok");
  EXPECT_TRUE(record.at("numeric").at("growth").is_null());
}

TEST_F(DeviceRun, FrontsAreFoundWhereThatIsForecastToBeTheQuickest) {
  for (const auto& [name, symbolic] :
       {std::pair("rail_5177", "cpu-fronts"), std::pair("rail_79841", "gpu-fronts")}) {
    const auto record = run(name, {"--mode", "fast", "--ordering", "amd"}, 0);
    const auto& pipeline = record.at("pipeline");
    EXPECT_EQ(pipeline.at("symbolic"), symbolic);
    const auto& choices = pipeline.at("choices");
    const auto choice = std::ranges::find_if(
        choices, [](const auto& made) { return made.at("stage") == "symbolic"; });
    ASSERT_NE(choice, choices.end()) << choices;
    EXPECT_EQ(choice->at("chosen"), symbolic);
    EXPECT_THAT(choice->at("reason").get<std::string>(), testing::HasSubstr("gpu-fronts"));
  }
}

}  // namespace
}  // namespace lufact::test
