// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/sha256.hpp"
#include "core/generate/generate.hpp"

namespace lufact {
namespace {

using Sizes = std::vector<std::pair<std::string, Offset>>;

CsrMatrix make(const std::string& kind, Sizes sizes = {}, std::uint64_t seed = 1) {
  return generate_matrix({kind, std::move(sizes), seed});
}

// A few sizes of every kind, small enough for quadratic checks, with odd shapes among them.
std::vector<GeneratorFacts> small_requests() {
  return {{"grid2d", {{"nx", 30}, {"ny", 20}}, 1},
          {"grid2d", {{"nx", 1}, {"ny", 1}}, 1},
          {"grid3d", {{"nx", 7}, {"ny", 5}, {"nz", 6}}, 2},
          {"fem3d", {{"nx", 4}, {"ny", 3}, {"nz", 5}, {"unknowns", 3}}, 3},
          {"fem3d", {{"nx", 1}, {"ny", 2}, {"nz", 1}, {"unknowns", 1}}, 3},
          {"cfd", {{"nx", 9}, {"ny", 11}, {"unknowns", 4}}, 4},
          {"cfd", {{"nx", 16}, {"ny", 16}, {"unknowns", 1}}, 4},
          {"circuit", {{"n", 8}}, 5},
          {"circuit", {{"n", 33}}, 5},
          {"circuit", {{"n", 1000}}, 5},
          {"planar", {{"n", 3}}, 6},
          {"planar", {{"n", 500}}, 6},
          {"hex", {{"nx", 20}, {"ny", 31}}, 7},
          {"random", {{"n", 300}, {"nnz_per_row", 4}}, 8},
          {"random", {{"n", 1}, {"nnz_per_row", 1}}, 8},
          {"random", {{"n", 33}, {"nnz_per_row", 33}}, 8},
          {"netlist", {{"n", 128}, {"nnz", 400}}, 9},
          {"netlist", {{"n", 1001}, {"nnz", 5003}}, 9},
          {"harmonic", {{"n", 16}, {"nnz", 40}, {"harmonics", 1}}, 10},
          {"harmonic", {{"n", 365}, {"nnz", 3400}, {"harmonics", 4}}, 10},
          {"economic", {{"n", 8}, {"nnz", 8}, {"periods", 2}}, 11},
          {"economic", {{"n", 397}, {"nnz", 4001}, {"periods", 7}}, 11},
          {"structural", {{"n", 1}, {"nnz", 1}}, 12},
          {"structural", {{"n", 301}, {"nnz", 9001}, {"unknowns", 4}, {"layers", 3}}, 12},
          {"flow", {{"n", 302}, {"nnz", 9002}, {"unknowns", 5}, {"layers", 2}}, 13}};
}

std::string title(const GeneratorFacts& facts) {
  std::string text = facts.kind;
  for (const auto& [name, value] : facts.sizes) text += " " + name + "=" + std::to_string(value);
  return text;
}

bool augment(const PatternView& pattern, Index row, std::vector<Index>& row_of_col,
             std::vector<Index>& visited_by, Index root) {
  for (const Index col : pattern.row(row)) {
    const auto c = static_cast<std::size_t>(col);
    if (visited_by[c] == root) continue;
    visited_by[c] = root;
    if (row_of_col[c] < 0 || augment(pattern, row_of_col[c], row_of_col, visited_by, root)) {
      row_of_col[c] = row;
      return true;
    }
  }
  return false;
}

// The size of a maximum matching of rows and columns, by augmenting paths.
Index structural_rank(const PatternView& pattern) {
  std::vector<Index> row_of_col(static_cast<std::size_t>(pattern.n_cols), -1);
  std::vector<Index> visited_by(static_cast<std::size_t>(pattern.n_cols), -1);
  Index rank = 0;
  for (Index row = 0; row < pattern.n_rows; ++row) {
    if (augment(pattern, row, row_of_col, visited_by, row)) ++rank;
  }
  return rank;
}

// log2 |det| by dense elimination with partial pivoting; minus infinity where singular.
double log2_determinant(const CsrMatrix& matrix) {
  const auto n = static_cast<std::size_t>(matrix.pattern.n_rows);
  std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    const auto cols = matrix.pattern.row(static_cast<Index>(i));
    const auto values = matrix.row_values(static_cast<Index>(i));
    for (std::size_t k = 0; k < cols.size(); ++k)
      a[i][static_cast<std::size_t>(cols[k])] = values[k];
  }
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const auto pivot = std::max_element(
        a.begin() + static_cast<std::ptrdiff_t>(j), a.end(),
        [j](const auto& x, const auto& y) { return std::abs(x[j]) < std::abs(y[j]); });
    std::swap(a[j], *pivot);
    sum += std::log2(std::abs(a[j][j]));
    if (a[j][j] == 0) return sum;
    for (std::size_t i = j + 1; i < n; ++i) {
      const double factor = a[i][j] / a[j][j];
      if (factor == 0) continue;
      for (std::size_t k = j; k < n; ++k) a[i][k] -= factor * a[j][k];
    }
  }
  return sum;
}

std::string digest(const CsrMatrix& matrix) {
  Sha256 hash;
  hash.update(std::span<const Offset>(matrix.pattern.row_ptr));
  hash.update(std::span<const Index>(matrix.pattern.col_idx));
  hash.update(std::span<const double>(matrix.values));
  return hash.finish();
}

Offset longest_row(const CsrPattern& pattern) {
  Offset longest = 0;
  for (Index i = 0; i < pattern.n_rows; ++i) {
    longest = std::max(longest, static_cast<Offset>(pattern.row(i).size()));
  }
  return longest;
}

double structural_symmetry(const CsrPattern& pattern) {
  Offset off_diagonal = 0;
  Offset mirrored = 0;
  for (Index i = 0; i < pattern.n_rows; ++i) {
    for (const Index j : pattern.row(i)) {
      if (j == i) continue;
      ++off_diagonal;
      if (find_entry(pattern.view(), j, i) >= 0) ++mirrored;
    }
  }
  return static_cast<double>(mirrored) / static_cast<double>(off_diagonal);
}

Offset present_diagonals(const CsrPattern& pattern) {
  Offset present = 0;
  for (Index i = 0; i < pattern.n_rows; ++i) present += find_entry(pattern.view(), i, i) >= 0;
  return present;
}

TEST(Generate, PatternsAreSortedWithoutDuplicatesAndValuesAreFinite) {
  for (const GeneratorFacts& request : small_requests()) {
    const CsrMatrix matrix = generate_matrix(request);
    EXPECT_EQ(find_pattern_fault(matrix.pattern.view()), "") << title(request);
    EXPECT_EQ(matrix.pattern.n_rows, matrix.pattern.n_cols) << title(request);
    ASSERT_EQ(matrix.values.size(), static_cast<std::size_t>(matrix.pattern.nnz()));
    EXPECT_TRUE(std::all_of(matrix.values.begin(), matrix.values.end(), [](double value) {
      return std::isfinite(value);
    })) << title(request);
  }
}

TEST(Generate, EveryKindHasFullStructuralRank) {
  for (const GeneratorFacts& request : small_requests()) {
    const CsrMatrix matrix = generate_matrix(request);
    EXPECT_EQ(structural_rank(matrix.pattern.view()), matrix.pattern.n_rows) << title(request);
  }
}

TEST(Generate, EveryKindIsNonsingularInValues) {
  for (GeneratorFacts request : small_requests()) {
    for (request.seed = 1; request.seed <= 3; ++request.seed) {
      const CsrMatrix matrix = generate_matrix(request);
      if (matrix.pattern.n_rows > 400) continue;
      // All nonzero values are at least 2^-16, all pivots of these matrices far above 2^-10.
      EXPECT_GT(log2_determinant(matrix), -10.0 * matrix.pattern.n_rows) << title(request);
    }
  }
}

TEST(Generate, SymmetricKindsAreSymmetricInPatternAndValues) {
  for (const GeneratorFacts& request : small_requests()) {
    const CsrMatrix matrix = generate_matrix(request);
    const CsrMatrix mirrored = transpose(matrix);
    const bool symmetric = mirrored.pattern.col_idx == matrix.pattern.col_idx &&
                           mirrored.pattern.row_ptr == matrix.pattern.row_ptr &&
                           mirrored.values == matrix.values;
    const bool large_enough_to_tell = matrix.pattern.n_rows > 32;
    if (find_generator_kind(request.kind).symmetric) {
      EXPECT_TRUE(symmetric) << title(request);
    } else if (large_enough_to_tell) {
      EXPECT_FALSE(symmetric) << title(request);
    }
  }
}

TEST(Generate, ASeedGivesTheSameMatrixAndAnotherSeedAnother) {
  for (GeneratorFacts request : small_requests()) {
    if (request.sizes[0].second < 3) continue;  // one unknown: nothing is left to chance
    const std::string first = digest(generate_matrix(request));
    EXPECT_EQ(digest(generate_matrix(request)), first) << title(request);
    ++request.seed;
    EXPECT_NE(digest(generate_matrix(request)), first) << title(request);
  }
}

TEST(Generate, GridsHaveTheStencilTheyAreNamedFor) {
  const CsrMatrix plane = make("grid2d", {{"nx", 30}, {"ny", 20}});
  EXPECT_EQ(plane.pattern.n_rows, 600);
  EXPECT_EQ(plane.pattern.nnz(), 600 + 2 * (29 * 20 + 30 * 19));
  EXPECT_EQ(longest_row(plane.pattern), 5);
  const CsrMatrix space = make("grid3d", {{"nx", 7}, {"ny", 5}, {"nz", 6}});
  EXPECT_EQ(space.pattern.n_rows, 210);
  EXPECT_EQ(space.pattern.nnz(), 210 + 2 * (6 * 5 * 6 + 7 * 4 * 6 + 7 * 5 * 5));
  EXPECT_EQ(longest_row(space.pattern), 7);
}

TEST(Generate, Fem3dCouplesTheNodesOfNeighbouringElementsByDenseBlocks) {
  const CsrMatrix matrix = make("fem3d", {{"nx", 4}, {"ny", 3}, {"nz", 5}, {"unknowns", 2}});
  EXPECT_EQ(matrix.pattern.n_rows, 4 * 3 * 5 * 2);
  // Ordered pairs of neighbours along an axis of k nodes: 3 k - 2.
  EXPECT_EQ(matrix.pattern.nnz(), 10 * 7 * 13 * 2 * 2);
  EXPECT_EQ(longest_row(matrix.pattern), 27 * 2);
}

TEST(Generate, CfdIsSlightlyUnsymmetricInItsPattern) {
  const CsrMatrix matrix = make("cfd", {{"nx", 20}, {"ny", 20}, {"unknowns", 4}});
  EXPECT_EQ(matrix.pattern.n_rows, 1600);
  EXPECT_LT(structural_symmetry(matrix.pattern), 0.99);
  EXPECT_GT(structural_symmetry(matrix.pattern), 0.9);
  EXPECT_EQ(present_diagonals(matrix.pattern), 1600);
}

TEST(Generate, CircuitsHaveSupplyNetsAndDiagonalsForAMatchingToRepair) {
  const CsrMatrix matrix = make("circuit", {{"n", 4000}});
  const CsrPattern& pattern = matrix.pattern;
  EXPECT_EQ(pattern.n_rows, 4000);
  EXPECT_GT(longest_row(pattern), 4000 / 5);
  EXPECT_GT(longest_row(transpose(pattern.view())), 4000 / 5);
  EXPECT_LT(structural_symmetry(pattern), 0.99);
  EXPECT_GT(structural_symmetry(pattern), 0.8);
  const Offset sources = 4000 / 32;
  EXPECT_LT(present_diagonals(pattern), 4000 - sources / 4);
  EXPECT_GT(present_diagonals(pattern), 4000 - sources);
  EXPECT_GT(std::count(matrix.values.begin(), matrix.values.end(), 0.0), sources / 4);
  EXPECT_LT(pattern.nnz(), 4000 * 8);
}

TEST(Generate, PlanarIsATriangulation) {
  // A full w x h grid of vertices has a boundary of 2 w + 2 h - 4 edges, and Euler's formula leaves
  // 3 n - 3 - boundary edges to a mesh whose inner faces are all triangles.
  const auto edges = [](Offset n) {
    const CsrMatrix matrix = make("planar", {{"n", n}});
    EXPECT_EQ(matrix.pattern.n_rows, n);
    EXPECT_EQ(present_diagonals(matrix.pattern), n);
    EXPECT_LE(longest_row(matrix.pattern), 9);
    return (matrix.pattern.nnz() - n) / 2;
  };
  EXPECT_EQ(edges(3), 3);
  EXPECT_EQ(edges(25), 3 * 25 - 3 - 16);
  EXPECT_EQ(edges(10000), 3 * 10000 - 3 - 396);
  // 27 = 5 x 5 and a row of two: two more vertices on the boundary, the corner cut off.
  EXPECT_EQ(edges(27), 3 * 27 - 3 - 17);
}

TEST(Generate, HexagonsHaveAtMostThreeNeighbours) {
  const CsrMatrix matrix = make("hex", {{"nx", 20}, {"ny", 31}});
  EXPECT_EQ(matrix.pattern.n_rows, 620);
  EXPECT_EQ(longest_row(matrix.pattern), 4);
  EXPECT_EQ(matrix.pattern.nnz(), 620 + 2 * (19 * 31 + 10 * 30));
}

TEST(Generate, RandomHasTheRowLengthAskedFor) {
  const CsrMatrix matrix = make("random", {{"n", 300}, {"nnz_per_row", 7}});
  EXPECT_EQ(matrix.pattern.nnz(), 2100);
  EXPECT_EQ(longest_row(matrix.pattern), 7);
  EXPECT_LT(present_diagonals(matrix.pattern), 60);
}

TEST(Generate, KindsThatTakeTheEntriesHaveExactlyThose) {
  const std::vector<GeneratorFacts> published{
      {"netlist", {{"n", 4510}, {"nnz", 21199}}, 1},
      {"harmonic", {{"n", 36057}, {"nnz", 227628}}, 1},
      {"economic", {{"n", 5931}, {"nnz", 83793}, {"periods", 20}}, 1},
      {"structural", {{"n", 6384}, {"nnz", 1414886}, {"unknowns", 6}}, 1},
      {"flow", {{"n", 3874}, {"nnz", 177172}, {"unknowns", 9}}, 1}};
  for (const GeneratorFacts& request : published) {
    const CsrMatrix matrix = generate_matrix(request);
    EXPECT_EQ(matrix.pattern.n_rows, request.sizes[0].second) << title(request);
    EXPECT_EQ(matrix.pattern.nnz(), request.sizes[1].second) << title(request);
  }
}

TEST(Generate, EconomicModelsHaveHardlyAnySymmetryOrDiagonal) {
  const CsrPattern pattern =
      make("economic", {{"n", 4000}, {"nnz", 48000}, {"periods", 20}}).pattern;
  EXPECT_LT(structural_symmetry(pattern), 0.2);
  EXPECT_LT(present_diagonals(pattern), 4000 / 5);
}

TEST(Generate, HarmonicBalanceHasLittleSymmetry) {
  const CsrPattern pattern = make("harmonic", {{"n", 4000}, {"nnz", 38000}}).pattern;
  EXPECT_LT(structural_symmetry(pattern), 0.5);
  EXPECT_EQ(present_diagonals(pattern), 4000);
}

TEST(Generate, NetlistsHaveSupplyNetsAndZeroDiagonals) {
  const CsrMatrix matrix = make("netlist", {{"n", 4000}, {"nnz", 24000}});
  EXPECT_GT(longest_row(matrix.pattern), 300);
  EXPECT_LT(present_diagonals(matrix.pattern), 4000 - 4000 / 64 / 4);
  EXPECT_GT(std::count(matrix.values.begin(), matrix.values.end(), 0.0), 4000 / 64 / 4);
}

TEST(Generate, FlowsMissSomeOfWhatIsDownstream) {
  const CsrPattern pattern = make("flow", {{"n", 4000}, {"nnz", 160000}}).pattern;
  EXPECT_LT(structural_symmetry(pattern), 0.98);
  EXPECT_GT(structural_symmetry(pattern), 0.8);
}

TEST(Generate, GraphsAreTheMeshesWithoutADiagonal) {
  for (const char* kind : {"planar", "hex"}) {
    const Sizes sizes =
        std::string(kind) == "hex" ? Sizes{{"nx", 20}, {"ny", 31}} : Sizes{{"n", 500}};
    const CsrPattern mesh = make(kind, sizes).pattern;
    const CsrPattern graph = make(std::string(kind) + "-graph", sizes).pattern;
    EXPECT_EQ(graph.nnz(), mesh.nnz() - mesh.n_rows) << kind;
    EXPECT_EQ(present_diagonals(graph), 0) << kind;
    EXPECT_EQ(structural_symmetry(graph), 1.0) << kind;
  }
}

TEST(Generate, DefaultsFillInWhatIsNotAsked) {
  const GeneratorFacts facts = complete_generator_facts({"fem3d", {{"unknowns", 2}}, 9});
  EXPECT_THAT(facts.sizes,
              testing::ElementsAre(testing::Pair("nx", 12), testing::Pair("ny", 12),
                                   testing::Pair("nz", 12), testing::Pair("unknowns", 2)));
  EXPECT_EQ(facts.seed, 9u);
}

std::string usage_message(const GeneratorFacts& request) {
  try {
    complete_generator_facts(request);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Generate, WrongRequestsNameWhatIsAccepted) {
  using testing::HasSubstr;
  EXPECT_THAT(usage_message({"grid4d", {}, 1}), HasSubstr("kinds: grid2d, grid3d, fem3d, cfd"));
  EXPECT_THAT(usage_message({"grid2d", {{"nz", 3}}, 1}), HasSubstr("sizes of grid2d: nx, ny"));
  EXPECT_THAT(usage_message({"grid2d", {{"nx", 3}, {"nx", 3}}, 1}), HasSubstr("given twice"));
  EXPECT_THAT(usage_message({"grid2d", {{"nx", 0}}, 1}), HasSubstr("below its minimum 1"));
  EXPECT_THAT(usage_message({"circuit", {{"n", -5}}, 1}), HasSubstr("below its minimum 8"));
  EXPECT_THAT(usage_message({"random", {{"n", 3}, {"nnz_per_row", 4}}, 1}),
              HasSubstr("more than n 3"));
  EXPECT_THAT(usage_message({"netlist", {{"n", 1000}, {"nnz", 500}}, 1}),
              HasSubstr("nnz 500 is not between 2000 and 32000"));
  EXPECT_THAT(usage_message({"harmonic", {{"n", 100}, {"harmonics", 50}}, 1}),
              HasSubstr("more than n / 8"));
  EXPECT_THAT(usage_message({"economic", {{"n", 100}, {"periods", 50}}, 1}),
              HasSubstr("more than n / 4"));
  EXPECT_THAT(usage_message({"structural", {{"n", 100}, {"nnz", 501}}, 1}), HasSubstr("is odd"));
}

TEST(Generate, AMeshRefusesMoreEntriesThanItHas) {
  EXPECT_THROW(make("flow", {{"n", 1000}, {"nnz", 900000}, {"unknowns", 1}}), UsageError);
}

TEST(Generate, AnOrderBeyondIndicesIsRefusedBeforeAnyAllocation) {
  using testing::HasSubstr;
  constexpr Offset kHuge = std::numeric_limits<Offset>::max();
  EXPECT_THAT(usage_message({"grid2d", {{"nx", 65536}, {"ny", 32768}}, 1}), HasSubstr("beyond"));
  EXPECT_THAT(usage_message({"grid3d", {{"nx", kHuge}, {"ny", kHuge}}, 1}), HasSubstr("beyond"));
  EXPECT_THAT(usage_message({"planar", {{"n", kHuge}}, 1}), HasSubstr("beyond"));
  EXPECT_EQ(usage_message({"grid2d", {{"nx", 65535}, {"ny", 32768}}, 1}), "accepted");
}

TEST(Generate, SizesBeyondMemoryAreOutOfHostMemory) {
  try {
    make("fem3d", {{"nx", 1}, {"ny", 1}, {"nz", 1}, {"unknowns", 2147483647}});
    FAIL() << "4.6e18 entries were generated";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_host);
  }
}

}  // namespace
}  // namespace lufact
