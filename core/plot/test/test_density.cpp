// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/columns/test/stage_harness.hpp"
#include "core/plot/density.hpp"
#include "core/plot/density_chart.hpp"
#include "core/plot/fill_density.hpp"
#include "core/reference/symbolic.hpp"
#include "core/structure/elimination_analysis.hpp"

namespace lufact::plot {
namespace {

using namespace test;
using testing::ElementsAre;

TEST(CellAxis, CutsPositionsIntoNearlyEqualCells) {
  const CellAxis axis = CellAxis::of(5, 2);
  EXPECT_THAT((std::vector{axis.cell_of(0), axis.cell_of(1), axis.cell_of(2), axis.cell_of(3),
                           axis.cell_of(4)}),
              ElementsAre(0, 0, 0, 1, 1));
  EXPECT_EQ(axis.extent(0), 3);
  EXPECT_EQ(axis.extent(1), 2);
  const CellAxis large = CellAxis::of(2'147'483'647, 256);
  Offset sum = 0;
  for (Index cell = 0; cell < 256; ++cell) {
    sum += large.extent(cell);
    EXPECT_EQ(large.cell_of(large.begin(cell)), cell);
    EXPECT_EQ(large.cell_of(large.begin(cell + 1) - 1), cell);
  }
  EXPECT_EQ(sum, large.size);
  EXPECT_EQ(CellAxis::of(3, 256).cells, 3);
}

TEST(PatternDensity, OfAMatrixByHand) {
  // x . x . x     cells of 3 and 2
  // . x . . .
  // . . x x .
  // x . . x x
  // . . . . x
  const CsrMatrix a = matrix_from_triplets(5, {{0, 0, 1},
                                               {0, 2, 1},
                                               {0, 4, 1},
                                               {1, 1, 1},
                                               {2, 2, 1},
                                               {2, 3, 1},
                                               {3, 0, 1},
                                               {3, 3, 1},
                                               {3, 4, 1},
                                               {4, 4, 1}});
  const DensityGrid grid = pattern_density(a.pattern.view(), 2);
  EXPECT_THAT(grid.count, ElementsAre(4, 2, 1, 3));
  EXPECT_DOUBLE_EQ(grid.density(0, 0), 4.0 / 9);
  EXPECT_DOUBLE_EQ(grid.density(0, 1), 2.0 / 6);
  EXPECT_DOUBLE_EQ(grid.density(1, 0), 1.0 / 6);
  EXPECT_DOUBLE_EQ(grid.density(1, 1), 3.0 / 4);
  EXPECT_EQ(grid.total(), 10);
}

TEST(TreeDensity, OfAForestByHand) {
  const std::vector<Index> height{0, 0, 1, 0, 1, 2, 0};
  const DensityGrid all = tree_density(height, 7, 3);
  EXPECT_THAT(all.count, ElementsAre(0, 0, 0, 0, 0, 1, 0,    // height 2
                                     0, 0, 1, 0, 1, 0, 0,    // height 1
                                     1, 1, 0, 1, 0, 0, 1));  // height 0
  const DensityGrid coarse = tree_density(height, 2, 1);
  EXPECT_THAT(coarse.count, ElementsAre(4, 3));
  EXPECT_EQ(tree_density({}, 7, 3).total(), 0);
}

// B + B' with its diagonal.
CsrPattern symmetrized(const CsrPattern& b) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < b.n_rows; ++i) {
    for (const Index j : b.row(i)) {
      entries.push_back({i, j, 1.0});
      entries.push_back({j, i, 1.0});
    }
  }
  return matrix_from_triplets(b.n_rows, std::move(entries)).pattern;
}

TEST(FillDensity, IsThatOfTheFilledPattern) {
  for (const NamedMatrix& named : cpu_matrices()) {
    SCOPED_TRACE(named.name);
    const PermutedMatrix b = natural_order(named.matrix);
    const ColumnPattern filled = reference::row_merge(symmetrized(b.pattern));
    const EliminationAnalysis analysis(b, 1);
    const FrontTree nested = analysis.nested_columns(std::uint64_t{1} << 40);
    for (const Index cells : {1, 7, 256, 100'000}) {
      EXPECT_EQ(fill_density(nested, cells).count, pattern_density(filled.rows.view(), cells).count)
          << cells;
    }
  }
}

TEST(Shades, GoByTheLogarithm) {
  EXPECT_EQ(shade_of(1e-6, 1e-6, 1), 1);
  EXPECT_EQ(shade_of(1, 1e-6, 1), density_shades);
  EXPECT_EQ(shade_of(2e-3, 1e-6, 1), 4);  // 3.3 of 6 decades from below
  EXPECT_EQ(shade_of(0.5, 0.5, 0.5), density_shades);
}

}  // namespace
}  // namespace lufact::plot
