// SPDX-License-Identifier: BSD-3-Clause
// `gpu-gsofa` on several devices and on machines that are not there: the same pattern and
// supernodes as on one device. Sessions on one device stand for devices; with two devices both
// transports are met as well.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/columns/symbolic_gp_pruned.hpp"
#include "core/matrix/reader.hpp"
#include "core/reference/supernodes.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/gsofa/distributed_gsofa.hpp"
#include "gpu/gsofa/gsofa_symbolic.hpp"
#include "gpu/gsofa/test/gsofa_cases.hpp"
#include "gpu/runtime/device_query.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

// Sessions of tests share the card, so each gets a part of it.
constexpr std::uint64_t session_bytes = std::uint64_t{2} << 30;

SessionOptions on_device(int device) {
  return {device, session_bytes};
}

std::vector<SessionOptions> others_on(const std::vector<int>& devices) {
  std::vector<SessionOptions> options;
  for (const int device : devices) options.push_back(on_device(device));
  return options;
}

struct DealtRows {
  GsofaInter inter;
  GsofaIntra intra;
};
constexpr DealtRows all_deals[] = {{GsofaInter::interleave, GsofaIntra::rows},
                                   {GsofaInter::interleave, GsofaIntra::chunks},
                                   {GsofaInter::block, GsofaIntra::rows},
                                   {GsofaInter::block, GsofaIntra::chunks}};

class DistributedGsofa : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }

  static std::shared_ptr<const ColumnPattern> run(StageHarness& harness,
                                                  const PermutedMatrix& matrix,
                                                  const GsofaOptions& options,
                                                  DeviceTeam* team = nullptr) {
    harness.options.gsofa = options;
    harness.notes = {};
    harness.context.team = team;
    return harness.download<ColumnPattern>(
        make_gsofa_symbolic()->run(harness.upload(matrix), harness.context));
  }

  static void expect_right(const ColumnPattern& pattern, const ColumnPattern& expected,
                           Index chunk_size) {
    expect_same(pattern, expected);
    EXPECT_EQ(pattern.supernodes, reference::t3_supernodes(expected, chunk_size).supernodes);
  }

  static void expect_sound_distribution(const StageNotes& notes, Index n, std::size_t slices) {
    ASSERT_TRUE(notes.distribution.has_value());
    const DistributionNotes& distribution = *notes.distribution;
    EXPECT_EQ(distribution.slices.size(), slices);
    EXPECT_GE(distribution.imbalance, 1 - 1e-9);
    Offset sources = 0, edges = 0;
    for (const DistributionSlice& slice : distribution.slices) {
      sources += slice.sources;
      edges += slice.edges_checked;
      EXPECT_GE(slice.wait_s, 0);
      EXPECT_GT(slice.device_peak_bytes, 0U);
    }
    EXPECT_EQ(sources, n);
    EXPECT_EQ(edges, notes.gsofa->edges_checked);
    EXPECT_EQ(distribution.exchange_bytes > 0, slices > 1);
  }

  static std::vector<GsofaSetting> defaults_of_layouts() {
    std::vector<GsofaSetting> settings;
    for (const GsofaLayout layout : gsofa_layouts()) settings.push_back(setting("", layout));
    return settings;
  }

  static void expect_right_on(DeviceTeam& team, StageHarness& harness,
                              const StructureCase& structure,
                              const std::vector<GsofaSetting>& settings) {
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    for (const GsofaSetting& chosen : settings) {
      for (const GsofaIntra intra : {GsofaIntra::rows, GsofaIntra::chunks}) {
        SCOPED_TRACE(structure.name + ", " + chosen.name + ", " + std::string(to_string(intra)));
        GsofaOptions options = chosen.options;
        options.intra = intra;
        expect_right(*run(harness, structure.matrix, options, &team), expected, options.chunk_size);
        expect_sound_distribution(harness.notes, expected.rows.n_rows, at(team.size()));
        for (Index k = 0; k < team.size(); ++k) {
          EXPECT_EQ(team.session(k).ledger().in_use(), 0U);
        }
      }
    }
  }
};

// Two searches that share a card wait for each other's barriers: settings of many iterations meet
// few matrices.
TEST_F(DistributedGsofa, TwoSessionsGiveTheReferencesPatternUnderEverySetting) {
  for (const StructureCase& structure :
       {random_case(129, 2), falling_maximum(40), arrow(257, false)}) {
    StageHarness harness(on_device(0));
    DeviceTeam team(harness.session, others_on({0}));
    EXPECT_EQ(team.transport(), "device");
    expect_right_on(team, harness, structure, gsofa_settings());
  }
}

TEST_F(DistributedGsofa, TwoSessionsGiveTheReferencesPatternOfEveryMatrix) {
  for (const StructureCase& structure : straining_cases()) {
    StageHarness harness(on_device(0));
    DeviceTeam team(harness.session, others_on({0}));
    expect_right_on(team, harness, structure, defaults_of_layouts());
  }
}

TEST_F(DistributedGsofa, SanitizeThreeSessionsOnSmallMatrices) {
  for (const StructureCase& structure :
       {random_case(129, 2), falling_maximum(40), arrow(257, false), diagonal(1), diagonal(2)}) {
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    StageHarness harness(on_device(0));
    DeviceTeam team(harness.session, others_on({0, 0}));
    for (const GsofaIntra intra : {GsofaIntra::rows, GsofaIntra::chunks}) {
      SCOPED_TRACE(structure.name + ", " + std::string(to_string(intra)));
      GsofaOptions options;
      options.intra = intra;
      options.chunk_size = 32;
      options.concurrency = {GsofaConcurrencyOption::Rule::fixed, 40};
      expect_right(*run(harness, structure.matrix, options, &team), expected, 32);
    }
  }
}

TEST_F(DistributedGsofa, ThreeSessionsGiveThePatternOfLargerMatrices) {
  for (const StructureCase& structure :
       {random_case(2000, 1), chain(5000), folded_path(3000), dense_last_rows(1500, 5),
        many_hubs(1500, 61), arrow(2047, false)}) {
    StageHarness harness(on_device(0));
    DeviceTeam team(harness.session, others_on({0, 0}));
    const ColumnPattern expected =
        factor_pattern_gp_pruned(structure.matrix.pattern.view(), harness.context);
    for (const GsofaLayout layout : gsofa_layouts()) {
      for (const GsofaIntra intra : {GsofaIntra::rows, GsofaIntra::chunks}) {
        SCOPED_TRACE(structure.name);
        GsofaOptions options = setting("", layout).options;
        options.intra = intra;
        expect_right(*run(harness, structure.matrix, options, &team), expected, 128);
      }
    }
  }
}

TEST_F(DistributedGsofa, TheProfileOfAllDevicesIsThatOfOne) {
  const StructureCase structure = random_case(5000, 2);
  StageHarness harness(on_device(0));
  DeviceTeam team(harness.session, others_on({0}));
  GsofaOptions options;
  options.profile = true;
  run(harness, structure.matrix, options, &team);
  Offset edges = 0;
  for (const Offset of_range : harness.notes.gsofa_sources.edges) edges += of_range;
  EXPECT_EQ(edges, harness.notes.gsofa->edges_checked);
  EXPECT_EQ(harness.notes.gsofa_sources.rows.size(), 2500U);
}

// A device whose limit is too small ends the search with its own message, and nothing is left.
TEST_F(DistributedGsofa, ADeviceThatFailsEndsTheSearch) {
  const StructureCase structure = random_case(4000, 3);
  StageHarness harness(on_device(0));
  DeviceTeam team(harness.session, {{0, std::uint64_t{1} << 18}});
  try {
    run(harness, structure.matrix, {}, &team);
    FAIL() << "a quarter of a MiB is enough?";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
  }
  EXPECT_EQ(harness.session.ledger().in_use(), 0U);
  EXPECT_EQ(team.session(1).ledger().in_use(), 0U);
}

TEST_F(DistributedGsofa, SlicesOfMachinesThatAreNotThereGiveTheReferencesPattern) {
  for (const StructureCase& structure : straining_cases()) {
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    StageHarness harness(on_device(0));
    for (const GsofaMachine machine : {GsofaMachine{1, 1}, {1, 2}, {2, 1}, {3, 2}, {2, 6}}) {
      for (const DealtRows& deal : all_deals) {
        SCOPED_TRACE(structure.name + ", " + std::to_string(machine.nodes) + "x" +
                     std::to_string(machine.devices));
        GsofaOptions options;
        options.simulated = machine;
        options.inter = deal.inter;
        options.intra = deal.intra;
        options.chunk_size = 16;
        expect_right(*run(harness, structure.matrix, options), expected, 16);
        expect_sound_distribution(harness.notes, expected.rows.n_rows,
                                  at(machine.nodes * machine.devices));
        const DistributionNotes& distribution = *harness.notes.distribution;
        EXPECT_TRUE(distribution.simulated);
        double slowest = 0;
        for (const DistributionSlice& slice : distribution.slices) {
          slowest = std::max(slowest, slice.search_s + slice.supernodes_s);
        }
        EXPECT_GE(distribution.simulated_s.value(), slowest);
        EXPECT_EQ(harness.session.ledger().in_use(), 0U);
      }
    }
  }
}

TEST_F(DistributedGsofa, SupernodesAreLookedForUnlessToldOtherwise) {
  const StructureCase structure = random_case(200, 2);
  StageHarness harness(on_device(0));
  harness.options.supernodes = SupernodeRule::off;
  DeviceTeam team(harness.session, others_on({0}));
  EXPECT_TRUE(run(harness, structure.matrix, {}, &team)->supernodes.empty());
  GsofaOptions simulated;
  simulated.simulated = GsofaMachine{2, 2};
  EXPECT_TRUE(run(harness, structure.matrix, simulated)->supernodes.empty());
}

constexpr TeamSharing managed_kinds[] = {TeamSharing::um, TeamSharing::um_advise,
                                         TeamSharing::um_separate};

// Fill and counts in managed memory give what bits give, and leave nothing behind. Members of the
// teams are sessions on `devices` beside the first one on device 0.
class SharedInManagedMemory : public DistributedGsofa {
 protected:
  static GsofaOptions in_chunks(Index chunk_size, Offset sources) {
    GsofaOptions options;
    options.chunk_size = chunk_size;
    if (sources > 0) options.concurrency = {GsofaConcurrencyOption::Rule::fixed, sources};
    return options;
  }

  static void expect_right_in_all_kinds(const std::vector<int>& devices,
                                        const PermutedMatrix& matrix, const ColumnPattern& expected,
                                        const GsofaOptions& options) {
    for (const TeamSharing sharing : managed_kinds) {
      SCOPED_TRACE(std::string(to_string(sharing)) + " in chunks of " +
                   std::to_string(options.chunk_size));
      StageHarness harness(on_device(0));
      DeviceTeam team(harness.session, others_on(devices), DeviceTeam::Access::peer_where_possible,
                      sharing);
      expect_right(*run(harness, matrix, options, &team), expected, options.chunk_size);
      EXPECT_EQ(harness.notes.distribution->shared, to_string(sharing));
      expect_sound_distribution(harness.notes, expected.rows.n_rows, at(team.size()));
      for (Index k = 0; k < team.size(); ++k) {
        EXPECT_EQ(team.session(k).ledger().in_use(), 0U);
        EXPECT_EQ(team.session(k).ledger().managed(), 0U);
      }
    }
  }
};

TEST_F(SharedInManagedMemory, SanitizeTwoSessionsGiveTheReferencesSupernodes) {
  for (const StructureCase& structure :
       {random_case(129, 2), falling_maximum(40), arrow(257, false), diagonal(1), diagonal(2)}) {
    SCOPED_TRACE(structure.name);
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    expect_right_in_all_kinds({0}, structure.matrix, expected, in_chunks(16, 16));
    expect_right_in_all_kinds({0}, structure.matrix, expected, in_chunks(128, 0));
  }
}

TEST_F(SharedInManagedMemory, ThreeSessionsGiveThePatternOfLargerMatrices) {
  for (const StructureCase& structure :
       {random_case(2000, 1), folded_path(3000), dense_last_rows(1500, 5), arrow(2047, false)}) {
    SCOPED_TRACE(structure.name);
    StageHarness harness(on_device(0));
    const ColumnPattern expected =
        factor_pattern_gp_pruned(structure.matrix.pattern.view(), harness.context);
    expect_right_in_all_kinds({0, 0}, structure.matrix, expected, in_chunks(64, 128));
    expect_right_in_all_kinds({0, 0}, structure.matrix, expected, in_chunks(128, 0));
  }
}

TEST_F(SharedInManagedMemory, TooFewSourcesForAChunkAreRefusedWithTheirNumber) {
  const StructureCase structure = random_case(1000, 2);
  StageHarness harness(on_device(0));
  DeviceTeam team(harness.session, others_on({0}), DeviceTeam::Access::peer_where_possible,
                  TeamSharing::um_separate);
  try {
    run(harness, structure.matrix, in_chunks(128, 40), &team);
    FAIL() << "80 rows in flight hold chunks of 128?";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_EQ(error.code(), "shared_concurrency");
    EXPECT_NE(std::string(error.what()).find("multiple of 64 sources"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("--gsofa-shared bits"), std::string::npos);
  }
  EXPECT_EQ(harness.session.ledger().in_use(), 0U);
}

// Devices in lock step do not wait for one that failed.
TEST_F(SharedInManagedMemory, ADeviceThatFailsEndsTheSearch) {
  const StructureCase structure = random_case(4000, 3);
  StageHarness harness(on_device(0));
  DeviceTeam team(harness.session, {{0, std::uint64_t{6} << 20}},
                  DeviceTeam::Access::peer_where_possible, TeamSharing::um_separate);
  GsofaOptions options = in_chunks(128, 64);
  options.budget = std::uint64_t{3} << 20;
  EXPECT_THROW(run(harness, structure.matrix, options, &team), Error);
  EXPECT_EQ(harness.session.ledger().in_use(), 0U);
  EXPECT_EQ(harness.session.ledger().managed(), 0U);
  EXPECT_EQ(team.session(1).ledger().in_use(), 0U);
}

// Where there are two.
class TwoDevices : public DistributedGsofa {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(1);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

TEST_F(TwoDevices, BothTransportsGiveTheReferencesPattern) {
  for (const DeviceTeam::Access access :
       {DeviceTeam::Access::peer_where_possible, DeviceTeam::Access::through_host}) {
    for (const StructureCase& structure : straining_cases()) {
      StageHarness harness(on_device(0));
      DeviceTeam team(harness.session, others_on({1}), access);
      if (access == DeviceTeam::Access::through_host) {
        EXPECT_EQ(team.transport(), "host");
      }
      expect_right_on(team, harness, structure, gsofa_settings());
    }
  }
}

TEST_F(TwoDevices, ManagedMemoryGivesTheReferencesSupernodes) {
  const StructureCase structure = random_case(2000, 1);
  for (const TeamSharing sharing : managed_kinds) {
    StageHarness harness(on_device(0));
    DeviceTeam team(harness.session, others_on({1}), DeviceTeam::Access::peer_where_possible,
                    sharing);
    if (!team.peer_access()) GTEST_SKIP() << "no peer access between devices 0 and 1";
    const ColumnPattern expected =
        factor_pattern_gp_pruned(structure.matrix.pattern.view(), harness.context);
    expect_right(*run(harness, structure.matrix, {}, &team), expected, 128);
  }
}

TEST_F(TwoDevices, StressGivesTheSamePatternEveryTime) {
  const StructureCase structure = random_case(2000, 1);
  StageHarness harness(on_device(0));
  DeviceTeam team(harness.session, others_on({1}));
  const ColumnPattern expected =
      factor_pattern_gp_pruned(structure.matrix.pattern.view(), harness.context);
  for (int repetition = 0; repetition < 100; ++repetition) {
    GsofaOptions options;
    options.intra = repetition % 2 == 0 ? GsofaIntra::rows : GsofaIntra::chunks;
    expect_right(*run(harness, structure.matrix, options, &team), expected, 128);
  }
}

// bcsstk18 as SuperLU_DIST orders it, which the public code comes with.
TEST_F(DistributedGsofa, GivesTheGoldenCounts) {
  const char* const data = std::getenv("LUFACT_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA is not set";
  const std::string path = std::string(data) + "/golden/bcsstk18_superlu_order.mtx.xz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const PermutedMatrix matrix = test::natural_order(read_matrix(path, {}).matrix);
  StageHarness harness(on_device(0));
  DeviceTeam team(harness.session, others_on({0}));
  GsofaOptions virtual_machine;
  virtual_machine.simulated = GsofaMachine{6, 6};
  for (const auto& pattern :
       {run(harness, matrix, {}, &team), run(harness, matrix, virtual_machine)}) {
    EXPECT_EQ(pattern->rows.nnz() - matrix.pattern.nnz(), 980136);
    EXPECT_EQ(pattern->supernodes.size(), 6779U + 1);
  }
}

}  // namespace
}  // namespace lufact::gpu
