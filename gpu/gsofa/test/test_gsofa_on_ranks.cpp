// SPDX-License-Identifier: BSD-3-Clause
// `gpu-gsofa` on several ranks: threads of the test stand for processes, and sessions on one device
// for devices, except with NCCL. The same pattern and supernodes as on one device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/base/error.hpp"
#include "core/distribution/test/thread_ranks.hpp"
#include "core/reference/supernodes.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/distribution/nccl_library.hpp"
#include "gpu/distribution/open_exchange.hpp"
#include "gpu/gsofa/gsofa_symbolic.hpp"
#include "gpu/gsofa/test/gsofa_cases.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/device_team.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

struct Ranks {
  GsofaMachine machine;
  std::uint64_t first_bytes = std::uint64_t{2} << 30;  // of the card, for each session of rank 0
  std::uint64_t other_bytes = std::uint64_t{2} << 30;
  ExchangeOption exchange = ExchangeOption::mpi;

  // Of the sessions of a rank: with NCCL each rank has a device of its own.
  SessionOptions session(Index rank) const {
    return {exchange == ExchangeOption::nccl ? rank : 0, rank == 0 ? first_bytes : other_bytes};
  }
};

struct Found {
  std::shared_ptr<const ColumnPattern> pattern;
  StageNotes notes;
};

class GsofaOnRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }

  static Found run(const Ranks& setup, const PermutedMatrix& matrix, const GsofaOptions& options,
                   SupernodeRule supernodes = SupernodeRule::automatic) {
    Found found;
    test::run_on_ranks(setup.machine.nodes, [&](RankGroup& ranks) {
      const SessionOptions session = setup.session(ranks.rank());
      StageHarness harness(session);
      DeviceTeam team(harness.session,
                      std::vector<SessionOptions>(at(setup.machine.devices - 1), session));
      team.join(open_exchange(harness.session, ranks, setup.exchange));
      harness.options.gsofa = options;
      harness.options.supernodes = supernodes;
      harness.context.team = &team;
      harness.context.ranks = &ranks;
      if (ranks.rank() > 0) {
        make_gsofa_symbolic()->assist(harness.context);
      } else {
        found.pattern = harness.download<ColumnPattern>(
            make_gsofa_symbolic()->run(harness.upload(matrix), harness.context));
        found.notes = harness.notes;
      }
      for (Index k = 0; k < team.size(); ++k) EXPECT_EQ(team.session(k).ledger().in_use(), 0U);
    });
    return found;
  }

  static void expect_right(const Found& found, const ColumnPattern& expected, Index chunk_size,
                           const GsofaMachine& machine, const char* transport = "mpi") {
    expect_same(*found.pattern, expected);
    EXPECT_EQ(found.pattern->supernodes, reference::t3_supernodes(expected, chunk_size).supernodes);
    const DistributionNotes& notes = found.notes.distribution.value();
    EXPECT_EQ(notes.transport, transport);
    EXPECT_EQ(notes.ranks.size(), at(machine.nodes));
    ASSERT_EQ(notes.slices.size(), at(machine.nodes * machine.devices));
    Offset sources = 0, edges = 0;
    for (std::size_t k = 0; k < notes.slices.size(); ++k) {
      EXPECT_EQ(notes.slices[k].node, static_cast<Index>(k) / machine.devices);
      EXPECT_EQ(notes.slices[k].device, static_cast<Index>(k) % machine.devices);
      EXPECT_TRUE(notes.slices[k].uuid.has_value());
      sources += notes.slices[k].sources;
      edges += notes.slices[k].edges_checked;
    }
    EXPECT_EQ(sources, expected.rows.n_rows);
    EXPECT_EQ(edges, found.notes.gsofa->edges_checked);
  }
};

TEST_F(GsofaOnRanks, EveryMachineGivesTheReferencesPattern) {
  for (const StructureCase& structure : {random_case(129, 2), falling_maximum(40), fan(40),
                                         arrow(257, false), diagonal(1), diagonal(2)}) {
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    for (const GsofaMachine machine : {GsofaMachine{1, 1}, {2, 1}, {2, 2}, {3, 1}}) {
      for (const GsofaInter inter : {GsofaInter::interleave, GsofaInter::block}) {
        SCOPED_TRACE(structure.name + ", " + std::to_string(machine.nodes) + "x" +
                     std::to_string(machine.devices) + ", " + std::string(to_string(inter)));
        GsofaOptions options;
        options.inter = inter;
        options.chunk_size = 32;
        options.concurrency = {GsofaConcurrencyOption::Rule::fixed, 40};
        expect_right(run({machine}, structure.matrix, options), expected, 32, machine);
      }
    }
  }
}

TEST_F(GsofaOnRanks, BothWaysToDealRowsAndBothLayouts) {
  const StructureCase structure = random_case(600, 2);
  const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
  for (const GsofaLayout layout : gsofa_layouts()) {
    for (const GsofaIntra intra : {GsofaIntra::rows, GsofaIntra::chunks}) {
      GsofaOptions options = setting("", layout).options;
      options.intra = intra;
      expect_right(run({{2, 2}}, structure.matrix, options), expected, 128, {2, 2});
    }
  }
}

TEST_F(GsofaOnRanks, RowsGoFromDeviceToDeviceByNccl) {
  const std::string fault = find_device_fault(1);
  if (!fault.empty()) GTEST_SKIP() << fault;
  // Between two processes it could not write into the other device's memory directly either.
  setenv("NCCL_P2P_DIRECT_DISABLE", "1", 0);
  if (!nccl_library().fault.empty()) GTEST_SKIP() << nccl_library().fault;
  for (const StructureCase& structure : {random_case(600, 2), arrow(257, false), diagonal(1)}) {
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    for (const GsofaMachine machine : {GsofaMachine{2, 1}, {2, 2}}) {
      SCOPED_TRACE(structure.name + ", 2x" + std::to_string(machine.devices));
      GsofaOptions options;
      options.chunk_size = 32;
      const Ranks setup{.machine = machine, .exchange = ExchangeOption::nccl};
      expect_right(run(setup, structure.matrix, options), expected, 32, machine, "nccl");
    }
  }
}

TEST_F(GsofaOnRanks, SupernodesAreLeftOutWhereTheyAreNotAskedFor) {
  const StructureCase structure = random_case(200, 2);
  EXPECT_TRUE(run({{2, 1}}, structure.matrix, {}, SupernodeRule::off).pattern->supernodes.empty());
}

TEST_F(GsofaOnRanks, TheFailureOfAnotherRankNamesIt) {
  const StructureCase structure = random_case(4000, 3);
  try {
    run({.machine = {2, 1}, .other_bytes = std::uint64_t{1} << 18}, structure.matrix, {});
    FAIL() << "a quarter of a MiB is enough?";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_THAT(error.what(), testing::HasSubstr("rank 1 on here"));
  }
}

}  // namespace
}  // namespace lufact::gpu
