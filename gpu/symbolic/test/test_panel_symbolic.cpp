// SPDX-License-Identifier: BSD-3-Clause
// The parts of gpu-panels against the host's twins and against definitions; the whole stage has the
// tests of every symbolic stage beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/random.hpp"
#include "core/columns/elimination_forest.hpp"
#include "core/columns/symbolic_gp_pruned.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/components/grid.hpp"
#include "gpu/forest/subtree_intervals.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/panels/panel_passes.hpp"
#include "gpu/symbolic/panels/panel_symbolic.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

class PanelSymbolic : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

// A pattern whose entries lie within `reach` of the diagonal; `mirrored_percent` of them have their
// mirror images.
StructureCase banded(Index n, Index per_row, Index reach, int mirrored_percent) {
  std::vector<test::Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < per_row; ++k) {
      const std::uint64_t random = hash64(static_cast<std::uint64_t>(mirrored_percent + reach),
                                          static_cast<std::uint64_t>(i * per_row + k));
      const auto span = static_cast<std::uint64_t>(2 * reach + 1);
      const Index j = std::clamp(i - reach + static_cast<Index>(random % span), 0, n - 1);
      triplets.push_back({i, j, 1});
      if (static_cast<int>(random >> 40) % 100 < mirrored_percent) triplets.push_back({j, i, 1});
    }
  }
  return make_case("banded_" + std::to_string(n) + "_" + std::to_string(mirrored_percent), n,
                   triplets);
}

std::vector<StructureCase> panel_cases() {
  std::vector<StructureCase> cases = small_cases();
  for (const int percent : {0, 60, 95, 100}) {
    cases.push_back(banded(300, 2, 7, percent));
    cases.push_back(banded(400, 1, 60, percent));
  }
  std::erase_if(cases, [](const StructureCase& c) { return c.matrix.pattern.n_rows == 0; });
  return cases;
}

// The parent of each vertex in the forest of B + B', n for a root.
std::vector<Index> host_parents(const CsrPattern& b) {
  std::vector<Index> parent = elimination_forest(EarlierNeighbours(b.view(), 1), 1);
  for (Index& p : parent) p = p < 0 ? b.n_rows : p;
  return parent;
}

// No vertex below the first child of a vertex's subtree belongs to another tree.
bool is_postorder(const std::vector<Index>& parent) {
  std::vector<Index> size(parent.size() + 1, 1), first(parent.size() + 1);
  for (std::size_t v = 0; v < parent.size(); ++v) first[v] = static_cast<Index>(v);
  for (std::size_t v = 0; v < parent.size(); ++v) {
    if (static_cast<Index>(v) - first[v] + 1 != size[v]) return false;
    const std::size_t p = at(parent[v]);
    if (p == parent.size()) continue;
    size[p] += size[v];
    first[p] = std::min(first[p], first[v]);
  }
  return true;
}

// What the kernel of the forest leaves on the device.
struct StructureRun {
  StructureRun(StageHarness& harness, const ProductPtr& product) {
    const auto& matrix = product_cast<DevicePermutedMatrix>(*product);
    block = carve(harness.session, "the structure", [&](Carver& carver) {
      arrays.lay_out_results(carver, matrix.n);
      arrays.lay_out_work(carver, matrix.n, matrix.nnz, most_grid_blocks(harness.session));
      arrays.lay_out_forest(carver, matrix.n, matrix.nnz);
    });
    facts = find_structure(harness.session, matrix.pattern(), matrix.nnz, arrays);
  }
  Buffer<std::byte> block;
  StructureArrays arrays;
  StructureFacts facts;
};

template <class T>
std::vector<T> read(StageHarness& harness, const T* device, Offset count) {
  std::vector<T> host(at(count));
  if (count > 0) harness.session.copy_to_host(host.data(), device, host.size() * sizeof(T));
  return host;
}

TEST_F(PanelSymbolic, SanitizeForestIsThatOfTheHostAndSaysWhatThePatternIs) {
  for (const StructureCase& structure : panel_cases()) {
    SCOPED_TRACE(structure.name);
    const CsrPattern& b = structure.matrix.pattern;
    StageHarness harness;
    const StructureRun run(harness, harness.upload(structure.matrix));
    const std::vector<Index> expected = host_parents(b);
    EXPECT_EQ(read(harness, run.arrays.forest.parent, b.n_rows), expected);
    EXPECT_EQ(run.facts.forest.crossings == 0, is_postorder(expected));
    const EarlierNeighbours graph(b.view(), 1);
    EXPECT_EQ(run.facts.forest.one_sided == 0, graph.symmetric());
    Offset edges = 0;
    for (Index i = 0; i < b.n_rows; ++i) {
      std::set<Index> earlier(graph.lower(i).begin(), graph.lower(i).end());
      earlier.insert(graph.upper(i).begin(), graph.upper(i).end());
      edges += static_cast<Offset>(earlier.size());
    }
    EXPECT_EQ(run.facts.forest.edges, edges);
  }
}

// Long walks: edges that are left for a second round.
TEST_F(PanelSymbolic, ForestOfLongPathsIsThatOfTheHost) {
  for (const StructureCase& structure :
       {folded_path(20000), chain(50000), banded(30000, 2, 3, 50), banded(20000, 2, 15000, 0)}) {
    SCOPED_TRACE(structure.name);
    StageHarness harness;
    const StructureRun run(harness, harness.upload(structure.matrix));
    EXPECT_EQ(read(harness, run.arrays.forest.parent, structure.matrix.pattern.n_rows),
              host_parents(structure.matrix.pattern));
  }
}

TEST_F(PanelSymbolic, SanitizeSubtreeIntervalsAreAPostorderThatKeepsPathsTogether) {
  for (const StructureCase& structure : panel_cases()) {
    SCOPED_TRACE(structure.name);
    const std::vector<Index> parent = host_parents(structure.matrix.pattern);
    const auto n = static_cast<Index>(parent.size());
    StageHarness harness;
    const Buffer<Index> device =
        upload_copy<Index>(harness.session, MemoryRole::scratch, parent, "parents");
    const SubtreeIntervals intervals = build_subtree_intervals(harness.session, n, device.data());
    const std::vector<Index> first = intervals.first.download(), size = intervals.size.download();
    std::vector<Index> relabelled(parent.size(), -1);
    const auto place = [&](Index v) { return first[at(v)] + size[at(v)] - 1; };
    for (Index v = 0; v < n; ++v) {
      ASSERT_TRUE(place(v) >= 0 && place(v) < n);
      const Index p = parent[at(v)];
      relabelled[at(place(v))] = p == n ? n : place(p);
      if (p == v + 1 && p < n) {
        EXPECT_EQ(place(p), place(v) + 1);
      }
    }
    EXPECT_TRUE(is_postorder(relabelled));
  }
}

// The panels and slots of a matrix, with the bits before elimination.
struct BoundRun {
  BoundRun(StageHarness& harness, const ProductPtr& product) : structure(harness, product) {
    const auto& matrix = product_cast<DevicePermutedMatrix>(*product);
    StructureFacts& facts = structure.facts;
    const ForestArrays& forest = structure.arrays.forest;
    if (!facts.in_order()) {
      sorted.emplace(harness.session, matrix.pattern(), matrix.nnz, forest, facts.forest);
      facts.panels = count_slots(harness.session, sorted->lists(), structure.arrays);
    }
    slots.count = checked_index(facts.panels.slots, "slots");
    slots.symmetric = facts.symmetric();
    FoundArrays found;
    block = carve(harness.session, "slots", [&](Carver& carver) {
      slots.lay_out(carver, matrix.n, facts.panels.panels);
      fronts.lay_out(carver, facts.panels.panels);
      found.lay_out(harness.session, carver, slots);
    });
    find_slots(harness.session, matrix.pattern(), forest.row_of, matrix.nnz,
               sorted ? sorted->lists() : edges_in_order(matrix.pattern(), matrix.nnz, forest),
               structure.arrays.panels, facts.panels.panels, slots, found, fronts);
  }
  StructureRun structure;
  std::optional<SortedEdges> sorted;
  SlotArrays slots;
  FrontArrays fronts;
  Buffer<std::byte> block;
};

std::vector<Index> expected_panels(const std::vector<Index>& parent) {
  std::vector<Index> first;
  for (Index k = 0; k < static_cast<Index>(parent.size()); ++k) {
    const bool goes_on = k > 0 && parent[at(k) - 1] == k && k - first.back() < 32;
    if (!goes_on) first.push_back(k);
  }
  first.push_back(static_cast<Index>(parent.size()));
  return first;
}

// B + B' with its fill.
CsrPattern filled_graph(const CsrPattern& b) {
  std::vector<test::Triplet> triplets;
  for (Index i = 0; i < b.n_rows; ++i) {
    for (const Index j : b.row(i)) triplets.insert(triplets.end(), {{i, j, 1}, {j, i, 1}});
  }
  return reference::row_merge(make_case("", b.n_rows, triplets).matrix.pattern).rows;
}

// Bit c of the words of one panel: has(i, first + c) for the lower word of row i.
template <class Has>
std::uint32_t expected_word(Index first, Index end, const Has& has) {
  std::uint32_t word = 0;
  for (Index c = first; c < end; ++c) word |= has(c) ? 1u << (c - first) : 0;
  return word;
}

// Slots by the definition: later rows of the last column of each panel in the factor of B + B'.
void expect_slots(StageHarness& harness, const BoundRun& run, const CsrPattern& b) {
  const std::vector<Index> first = expected_panels(host_parents(b));
  const auto panels = static_cast<Index>(first.size()) - 1;
  ASSERT_EQ(run.structure.facts.panels.panels, panels);
  EXPECT_EQ(read(harness, run.structure.arrays.panels.first, panels + 1), first);
  const CsrPattern filled = filled_graph(b);
  const auto ptr = read(harness, run.slots.ptr, panels + 1);
  const auto row = read(harness, run.slots.row, run.slots.count);
  const auto lower = read(harness, run.slots.lower, run.slots.count);
  const auto upper = read(harness, run.slots.upper, run.slots.count);
  const CsrPattern& bits = run.slots.symmetric ? filled : b;
  for (Index panel = 0; panel < panels; ++panel) {
    const Index begin = first[at(panel)], end = first[at(panel) + 1];
    std::vector<Index> expected;
    for (const Index i : filled.row(end - 1)) {
      if (i >= end) expected.push_back(i);
    }
    ASSERT_EQ(std::vector<Index>(row.begin() + ptr[at(panel)], row.begin() + ptr[at(panel) + 1]),
              expected);
    for (Index s = ptr[at(panel)]; s < ptr[at(panel) + 1]; ++s) {
      const Index i = row[at(s)];
      EXPECT_EQ(lower[at(s)], expected_word(begin, end, [&](Index c) {
                  return find_entry(bits.view(), i, c) >= 0;
                }));
      EXPECT_EQ(upper[at(s)], expected_word(begin, end, [&](Index c) {
                  return find_entry(bits.view(), c, i) >= 0;
                }));
    }
  }
}

// The slots of every row, ascending.
void expect_rows_of_slots(StageHarness& harness, const BoundRun& run, Index n) {
  const auto row = read(harness, run.slots.row, run.slots.count);
  const auto panel = read(harness, run.slots.panel, run.slots.count);
  const auto row_ptr = read(harness, run.slots.row_ptr, n + 1);
  const auto row_slot = read(harness, run.slots.row_slot, run.slots.count);
  EXPECT_EQ(row_ptr.front(), 0);
  EXPECT_EQ(row_ptr.back(), run.slots.count);
  for (Index i = 0; i < n; ++i) {
    for (Index k = row_ptr[at(i)]; k < row_ptr[at(i) + 1]; ++k) {
      EXPECT_EQ(row[at(row_slot[at(k)])], i);
      if (k > row_ptr[at(i)]) {
        EXPECT_LT(panel[at(row_slot[at(k) - 1])], panel[at(row_slot[at(k)])]);
      }
    }
  }
}

TEST_F(PanelSymbolic, SanitizeSlotsAreTheLaterRowsOfEachPanelWithTheBitsOfTheMatrix) {
  for (const StructureCase& structure : panel_cases()) {
    SCOPED_TRACE(structure.name);
    StageHarness harness;
    const BoundRun run(harness, harness.upload(structure.matrix));
    expect_slots(harness, run, structure.matrix.pattern);
    expect_rows_of_slots(harness, run, structure.matrix.pattern.n_rows);
  }
}

Index host_height(const std::vector<Index>& parent) {
  const std::vector<Index> first = expected_panels(parent);
  std::vector<Index> level(parent.size() + 1, 1);  // of the panel of each column
  Index height = 0;
  for (std::size_t panel = 0; panel + 1 < first.size(); ++panel) {
    const std::size_t last = at(first[panel + 1]) - 1;
    Index& own = level[at(first[panel])];
    for (std::size_t k = at(first[panel]); k <= last; ++k) own = std::max(own, level[k]);
    height = std::max(height, own);
    Index& above = level[at(parent[last])];
    above = std::max(above, own + 1);
  }
  return height;
}

TEST_F(PanelSymbolic, SanitizeHeightIsThatOfTheForestOfPanels) {
  for (const StructureCase& structure : panel_cases()) {
    SCOPED_TRACE(structure.name);
    StageHarness harness;
    const BoundRun run(harness, harness.upload(structure.matrix));
    if (run.slots.symmetric) continue;
    const PanelFacts facts = read(harness, &run.structure.arrays.counters->facts.panels, 1).front();
    EXPECT_EQ(facts.height, host_height(host_parents(structure.matrix.pattern)));
  }
}

// A path of which every vertex has a leaf of its own, between it and the vertex before.
TEST_F(PanelSymbolic, SaysThatAForestIsLikeAPath) {
  constexpr Index n = 2400;
  std::vector<test::Triplet> triplets{{1, 0, 1}};
  for (Index i = 3; i < n; i += 2) {
    triplets.insert(triplets.end(), {{i, i - 1, 1}, {i - 1, i, 1}, {i, i - 2, 1}, {i - 2, i, 1}});
  }
  StageHarness path, bush;
  make_panel_symbolic()->run(path.upload(make_case("comb", n, triplets).matrix), path.context);
  ASSERT_EQ(path.notes.warnings.size(), 1u);
  EXPECT_EQ(path.notes.warnings.front().code, "path_like_forest");
  make_panel_symbolic()->run(bush.upload(random_case(300, 1).matrix), bush.context);
  EXPECT_TRUE(bush.notes.warnings.empty());
}

void expect_host_pattern(const StructureCase& structure) {
  SCOPED_TRACE(structure.name);
  StageHarness harness;
  const auto pattern = harness.download<ColumnPattern>(
      make_panel_symbolic()->run(harness.upload(structure.matrix), harness.context));
  const ColumnPattern expected =
      factor_pattern_gp_pruned(structure.matrix.pattern.view(), harness.context);
  EXPECT_EQ(pattern->rows.row_ptr, expected.rows.row_ptr);
  EXPECT_TRUE(pattern->rows.col_idx == expected.rows.col_idx);
  EXPECT_EQ(pattern->diagonal, expected.diagonal);
}

TEST_F(PanelSymbolic, SanitizePatternsOfBandsAreThoseOfTheHost) {
  for (const int percent : {0, 30, 60, 90, 98, 100}) {
    expect_host_pattern(banded(500, 2, 7, percent));
    expect_host_pattern(banded(450, 1, 200, percent));
  }
}

// Fronts for blocks of every size, beyond what they keep in shared memory.
TEST_F(PanelSymbolic, PatternsWithLargeFrontsAreThoseOfTheHost) {
  for (const int percent : {0, 50, 90, 100}) {
    expect_host_pattern(banded(3500, 1, 3400, percent));
    expect_host_pattern(banded(3000, 2, 100, percent));
  }
  expect_host_pattern(dense_last_rows(4000, 3));
  expect_host_pattern(folded_path(5000));
  expect_host_pattern(chain(200000));
}

// The last child of a panel to be finished brings what all of them have handed on: beside kernels
// that take a random part of the card for a random time, so that blocks are delayed.
TEST_F(PanelSymbolic, HundredsOfEliminationsBesideACompetingKernelGiveTheSameBits) {
  for (const StructureCase& structure :
       {random_case(900, 1), banded(6000, 1, 40, 30), banded(2500, 1, 2400, 50)}) {
    SCOPED_TRACE(structure.name);
    StageHarness harness;
    const OtherStream other;
    const ProductPtr matrix = harness.upload(structure.matrix);
    const ColumnPattern expected =
        factor_pattern_gp_pruned(structure.matrix.pattern.view(), harness.context);
    for (std::uint64_t run = 0; run < 200; ++run) {
      SCOPED_TRACE(run);
      other.occupy_randomly(harness.session.sm_count(), run);
      const auto pattern =
          harness.download<ColumnPattern>(make_panel_symbolic()->run(matrix, harness.context));
      ASSERT_EQ(pattern->rows.row_ptr, expected.rows.row_ptr);
      ASSERT_EQ(pattern->rows.col_idx, expected.rows.col_idx);
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
