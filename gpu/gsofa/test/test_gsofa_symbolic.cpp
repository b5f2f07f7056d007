// SPDX-License-Identifier: BSD-3-Clause
// The stage `gpu-gsofa` under every setting: the reference's pattern, its supernodes, its budget.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/columns/symbolic_gp_pruned.hpp"
#include "core/generate/generate.hpp"
#include "core/match/mc64.hpp"
#include "core/matrix/reader.hpp"
#include "core/matrix/test/real_matrices.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/permute/permute.hpp"
#include "core/reference/supernodes.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/gsofa/gsofa_passes.hpp"
#include "gpu/gsofa/gsofa_symbolic.hpp"
#include "gpu/gsofa/supernodes.hpp"
#include "gpu/gsofa/test/gsofa_cases.hpp"
#include "gpu/runtime/device_query.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

class Gsofa : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }

  static std::shared_ptr<const ColumnPattern> run(StageHarness& harness,
                                                  const PermutedMatrix& matrix,
                                                  const GsofaOptions& options) {
    harness.options.gsofa = options;
    harness.notes = {};
    return harness.download<ColumnPattern>(
        make_gsofa_symbolic()->run(harness.upload(matrix), harness.context));
  }

  static std::shared_ptr<const ColumnPattern> run_limited(StageHarness& harness,
                                                          const PermutedMatrix& matrix,
                                                          const GsofaLimits& limits) {
    harness.notes = {};
    const ProductPtr uploaded = harness.upload(matrix);
    return harness.download<ColumnPattern>(search_on_one_device(
        product_cast<DevicePermutedMatrix>(*uploaded), limits, harness.context));
  }

  static void expect_pattern_and_supernodes(const ColumnPattern& pattern,
                                            const ColumnPattern& expected, Index chunk_size) {
    expect_same(pattern, expected);
    EXPECT_EQ(pattern.supernodes, reference::t3_supernodes(expected, chunk_size).supernodes);
  }

  // Counts that hold in whatever order warps come.
  static void expect_sound_notes(const GsofaNotes& notes, Index n) {
    EXPECT_LE(notes.bytes.max_id + notes.bytes.fill + notes.bytes.queues + notes.bytes.trackers,
              notes.budget_bytes);
    EXPECT_LE(notes.enqueued_again, notes.enqueued);
    EXPECT_LE(notes.queue.mean_share, notes.queue.peak_share * (1 + 1e-9));
    EXPECT_LE(notes.concurrency.least, notes.concurrency.most);
    EXPECT_LE(notes.concurrency.most, std::max<Offset>(n, 1));
  }
};

StructureCase prepared(const std::string& name, const CsrMatrix& matrix) {
  std::vector<Warning> warnings;
  const Matching matching = mc64(matrix, false, warnings);
  const CsrPattern pa = permuted_rows(matrix, matching.rows);
  return {name, *build_permuted_matrix(matrix, matching, {.perm = amd_ordering(pa)})};
}

// A session of its own for each matrix, so that layouts and divisions change in it.
TEST_F(Gsofa, GivesTheReferencesPatternUnderEverySetting) {
  for (const StructureCase& structure : straining_cases()) {
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    StageHarness harness;
    for (const GsofaSetting& chosen : gsofa_settings()) {
      SCOPED_TRACE(structure.name + ", " + chosen.name);
      const auto pattern = run(harness, structure.matrix, chosen.options);
      expect_pattern_and_supernodes(*pattern, expected, chosen.options.chunk_size);
      ASSERT_TRUE(harness.notes.gsofa.has_value());
      expect_sound_notes(*harness.notes.gsofa, expected.rows.n_rows);
      EXPECT_EQ(harness.session.ledger().in_use(), 0u);
    }
  }
}

TEST_F(Gsofa, SanitizeSomeSettingsOnSmallMatrices) {
  for (const StructureCase& structure :
       {random_case(129, 2), falling_maximum(40), fan(40), arrow(257, false), diagonal(1)}) {
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    StageHarness harness;
    for (const GsofaLayout layout : gsofa_layouts()) {
      GsofaOptions options = setting("", layout).options;
      options.concurrency = {GsofaConcurrencyOption::Rule::fixed, 40};
      expect_pattern_and_supernodes(*run(harness, structure.matrix, options), expected, 128);
      options.queue = 5;
      expect_pattern_and_supernodes(*run(harness, structure.matrix, options), expected, 128);
    }
  }
}

TEST_F(Gsofa, LosesNothingWhereQueuesAndPinnedMemoryAreTooSmall) {
  for (const StructureCase& structure :
       {random_case(400, 3), falling_maximum(200), fan(200), arrow(257, true), many_hubs(400, 37),
        dense_last_rows(260, 3)}) {
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    StageHarness harness;
    for (const GsofaLayout layout : gsofa_layouts()) {
      for (const Offset queue : {1, 40}) {
        for (const Offset spill : {0, 1, 100}) {
          SCOPED_TRACE(structure.name + ", " + std::to_string(queue) + ", " +
                       std::to_string(spill));
          harness.options.gsofa = setting("", layout).options;
          harness.options.gsofa.queue = queue;
          expect_pattern_and_supernodes(
              *run_limited(harness, structure.matrix, {.most_spill_entries = spill}), expected,
              128);
          const GsofaQueue& figures = harness.notes.gsofa->queue;
          EXPECT_EQ(figures.capacity, queue);
          EXPECT_EQ(figures.bytes_in, figures.bytes_out);
          EXPECT_EQ(figures.spills > 0, figures.spilled_entries > 0);
          EXPECT_LE(figures.spilled_entries, figures.spills * spill);
        }
      }
    }
  }
}

// With so many sources that no other warps help with a row than those of its block.
TEST_F(Gsofa, SharesLongRowsInABlock) {
  for (const StructureCase& structure : {long_rows(2000, 20, 257), long_rows(2000, 19, 900),
                                         long_rows(9000, 1, 300), many_hubs(1500, 300)}) {
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    StageHarness harness;
    for (const GsofaLayout layout : gsofa_layouts()) {
      for (const std::optional<Offset> queue :
           {std::optional<Offset>(), std::optional<Offset>(700)}) {
        SCOPED_TRACE(structure.name + ", " + std::string(to_string(layout)));
        GsofaOptions options = setting("", layout).options;
        options.queue = queue;
        expect_pattern_and_supernodes(*run(harness, structure.matrix, options), expected, 128);
      }
    }
  }
}

// Windows of the whole word, and of so few values that there is one, two or three of them.
TEST_F(Gsofa, WrapsItsWindowsAround) {
  for (const StructureCase& structure : {random_case(400, 3), falling_maximum(200), chain(300)}) {
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    const auto n = static_cast<MaxIdWord>(structure.matrix.pattern.n_rows);
    StageHarness harness;
    for (const GsofaLayout layout : gsofa_layouts()) {
      for (const MaxIdWord windows : {1u, 2u, 3u}) {
        SCOPED_TRACE(structure.name + ", " + std::to_string(windows));
        harness.options.gsofa = setting("", layout).options;
        harness.options.gsofa.concurrency = {GsofaConcurrencyOption::Rule::fixed, 20};
        const GsofaLimits limits{.window_top = windows * n + windows - 1};
        expect_pattern_and_supernodes(*run_limited(harness, structure.matrix, limits), expected,
                                      128);
        const GsofaNotes& notes = *harness.notes.gsofa;
        EXPECT_EQ(notes.reinitialisations, (notes.batches - 1) / windows);
      }
    }
  }
}

// From what one source needs up to more than all need: a pattern within the budget, or the error.
TEST_F(Gsofa, KeepsToBudgetsFromOneSourceUpward) {
  for (const StructureCase& structure : {random_case(129, 2), many_hubs(200, 37), chain(65)}) {
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    StageHarness harness;
    for (const GsofaLayout layout : gsofa_layouts()) {
      bool failed = false, succeeded = false;
      for (std::uint64_t bytes = 0; bytes < (1u << 20); bytes = bytes * 5 / 4 + 16) {
        SCOPED_TRACE(structure.name + ", " + std::to_string(bytes));
        GsofaOptions options = setting("", layout).options;
        options.budget = bytes;
        harness.session.ledger().reset_peaks();
        try {
          const auto pattern = run(harness, structure.matrix, options);
          expect_pattern_and_supernodes(*pattern, expected, 128);
          expect_sound_notes(*harness.notes.gsofa, expected.rows.n_rows);
          EXPECT_EQ(harness.notes.gsofa->budget_bytes, bytes);
          EXPECT_LE(harness.session.ledger().report().scratch_peak_bytes,
                    std::max<std::uint64_t>(bytes, 64 * expected.rows.n_rows) + 4096);
          succeeded = true;
        } catch (const Error& error) {
          EXPECT_EQ(error.outcome(), Outcome::oom_device);
          EXPECT_EQ(error.code(), "gsofa_budget");
          EXPECT_FALSE(succeeded);
          failed = true;
        }
        EXPECT_EQ(harness.session.ledger().in_use(), 0u);
      }
      EXPECT_TRUE(failed);
      EXPECT_TRUE(succeeded);
    }
  }
}

// Settings of few sources in flight, or of a tiny queue, take as many iterations as all paths
// together are long; small matrices meet them above.
bool many_sources(const GsofaOptions& options) {
  const GsofaConcurrencyOption& asked = options.concurrency;
  return !options.queue &&
         (asked.rule != GsofaConcurrencyOption::Rule::fixed || asked.sources >= 300);
}

TEST_F(Gsofa, GivesTheReferencesPatternOfLargerMatrices) {
  for (const StructureCase& structure :
       {random_case(2000, 1), random_case(1000, 3), chain(5000), folded_path(3000),
        entered_path(1200), dense_last_rows(1500, 5), late_hub(1500), many_hubs(1500, 61),
        arrow(2047, false), falling_maximum(500), fan(1000)}) {
    StageHarness harness;
    const ColumnPattern expected =
        factor_pattern_gp_pruned(structure.matrix.pattern.view(), harness.context);
    for (const GsofaSetting& chosen : gsofa_settings()) {
      if (!many_sources(chosen.options)) continue;
      SCOPED_TRACE(structure.name + ", " + chosen.name);
      expect_pattern_and_supernodes(*run(harness, structure.matrix, chosen.options), expected,
                                    chosen.options.chunk_size);
    }
  }
}

// Beside the granule of the card.
TEST_F(Gsofa, ThePatternNeverTakesMuchMoreThanItsFinalBytes) {
  const StructureCase structure = random_case(6000, 4);
  StageHarness harness;
  GsofaOptions options;
  options.concurrency = {GsofaConcurrencyOption::Rule::fixed, 256};
  const ProductPtr matrix = harness.upload(structure.matrix);
  const std::uint64_t held = harness.session.ledger().in_use();
  harness.options.gsofa = options;
  harness.session.ledger().reset_peaks();
  const ProductPtr pattern = make_gsofa_symbolic()->run(matrix, harness.context);
  const auto& made = product_cast<DeviceColumnPattern>(*pattern);
  const std::uint64_t granule = std::uint64_t{2} << 20;
  const std::uint64_t beside = held + 16 * (static_cast<std::uint64_t>(made.n) + 1) +
                               static_cast<std::uint64_t>(made.supernodes.bytes());
  const std::uint64_t columns = static_cast<std::uint64_t>(made.nnz) * sizeof(Index);
  EXPECT_GT(columns, 8 * granule) << "too small to tell";
  EXPECT_LE(harness.session.ledger().report().resident_peak_bytes,
            beside + columns / 4 * 5 + granule);
}

TEST_F(Gsofa, TheProfileAddsUpToTheCounts) {
  const StructureCase structure = random_case(5000, 2);
  StageHarness harness;
  GsofaOptions options;
  options.profile = true;
  run(harness, structure.matrix, options);
  const GsofaSources& sources = harness.notes.gsofa_sources;
  ASSERT_EQ(sources.rows.size(), 2500u);
  Offset rows = 0, edges = 0;
  double expanded = 0;
  for (std::size_t k = 0; k < sources.rows.size(); ++k) {
    EXPECT_EQ(sources.first_row[k], rows);
    rows += sources.rows[k];
    edges += sources.edges[k];
    expanded += sources.mean_frontier[k] * static_cast<double>(sources.iterations[k]);
  }
  EXPECT_EQ(rows, 5000);
  EXPECT_EQ(edges, harness.notes.gsofa->edges_checked);
  EXPECT_NEAR(expanded, static_cast<double>(harness.notes.gsofa->enqueued), 1);
}

TEST_F(Gsofa, SupernodesAreLookedForUnlessToldOtherwise) {
  const StructureCase structure = random_case(200, 2);
  StageHarness harness;
  harness.options.supernodes = SupernodeRule::off;
  EXPECT_TRUE(run(harness, structure.matrix, {})->supernodes.empty());
  harness.options.supernodes = SupernodeRule::t3;
  EXPECT_FALSE(run(harness, structure.matrix, {})->supernodes.empty());
}

TEST_F(Gsofa, SupernodesOfAFinishedPatternAreThoseOfTheTwin) {
  for (const StructureCase& structure : straining_cases()) {
    SCOPED_TRACE(structure.name);
    const auto expected =
        std::make_shared<ColumnPattern>(reference::row_merge(structure.matrix.pattern));
    StageHarness harness;
    const ProductPtr pattern = harness.transfer(expected);
    for (const Index size : {1, 2, 31, 32, 33, 128, 1000, 1024}) {
      EXPECT_EQ(
          find_t3_supernodes(harness.session, product_cast<DeviceColumnPattern>(*pattern), size)
              .download(),
          reference::t3_supernodes(*expected, size).supernodes);
    }
  }
}

class GsofaData : public Gsofa {
 protected:
  void SetUp() override {
    Gsofa::SetUp();
    if (IsSkipped()) return;
    const char* data = std::getenv("LUFACT_TEST_DATA");
    if (data == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA is not set";
    data_ = data;
  }

  // Under every setting without a fixed number of sources or a tiny queue, and with a small budget
  // that makes many batches, in whole some thirty times the longest path.
  void expect_pruned_pattern(const StructureCase& structure) {
    SCOPED_TRACE(structure.name);
    StageHarness harness;
    const ColumnPattern expected =
        factor_pattern_gp_pruned(structure.matrix.pattern.view(), harness.context);
    for (const GsofaSetting& chosen : gsofa_settings()) {
      if (!many_sources(chosen.options)) continue;
      if (chosen.options.concurrency.rule == GsofaConcurrencyOption::Rule::fixed) continue;
      SCOPED_TRACE(chosen.name);
      expect_pattern_and_supernodes(*run(harness, structure.matrix, chosen.options), expected, 128);
    }
    const auto n = static_cast<std::uint64_t>(expected.rows.n_rows);
    for (const GsofaLayout layout : gsofa_layouts()) {
      GsofaOptions options = setting("", layout).options;
      options.budget = std::max<std::uint64_t>(64, n / 32) * 12 * n;
      expect_pattern_and_supernodes(*run(harness, structure.matrix, options), expected, 128);
    }
  }

  std::string data_;
};

TEST_F(GsofaData, GivesThePatternOfThePrunedSearchOnRealMatrices) {
  const std::vector<std::string> paths = test::real_matrices(data_);
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    expect_pruned_pattern(prepared(path, read_matrix(path, {}).matrix));
  }
}

TEST_F(GsofaData, GivesThePatternOfThePrunedSearchOnGeneratedClasses) {
  for (const GeneratorKind& kind : generator_kinds()) {
    GeneratorFacts facts;
    facts.kind = kind.name;
    facts.seed = 11;
    expect_pruned_pattern(prepared(facts.kind, generate_matrix(facts)));
  }
}

// bcsstk18 as SuperLU_DIST orders it, which the public code comes with.
TEST_F(GsofaData, GivesTheGoldenCounts) {
  const std::string path = data_ + "/golden/bcsstk18_superlu_order.mtx.xz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const PermutedMatrix matrix = test::natural_order(read_matrix(path, {}).matrix);
  for (const GsofaLayout layout : gsofa_layouts()) {
    for (const auto& [size, supernodes] :
         {std::pair<Index, std::size_t>{64, 6821}, {128, 6779}, {256, 6755}}) {
      StageHarness harness;
      GsofaOptions options = setting("", layout).options;
      options.chunk_size = size;
      const auto pattern = run(harness, matrix, options);
      Offset lower = 0;
      for (Index row = 0; row < pattern->rows.n_rows; ++row) {
        lower += pattern->diagonal[at(row)] - pattern->rows.row_ptr[at(row)];
      }
      EXPECT_EQ(lower, 558639);
      EXPECT_EQ(pattern->rows.nnz() - lower, 570587);
      EXPECT_EQ(pattern->rows.nnz() - matrix.pattern.nnz(), 980136);
      EXPECT_EQ(pattern->supernodes.size(), supernodes + 1);
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
