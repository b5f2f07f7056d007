// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/matrix/reader.hpp"
#include "core/reference/gsofa.hpp"
#include "core/reference/supernodes.hpp"
#include "core/reference/symbolic.hpp"
#include "core/verify/test/test_support.hpp"
#include "core/verify/validate_supernodes.hpp"

namespace lufact::reference {
namespace {

TEST(ReferenceGsofa, GivesThePatternOfFill2OnEveryNamedMatrix) {
  for (const test::NamedMatrix& named : test::named_matrices()) {
    const CsrPattern b = test::natural_order(named.matrix).pattern;
    const GsofaSearch search = gsofa(b);
    const ColumnPattern expected = fill2(b);
    EXPECT_EQ(search.pattern.rows.row_ptr, expected.rows.row_ptr) << named.name;
    EXPECT_EQ(search.pattern.rows.col_idx, expected.rows.col_idx) << named.name;
    EXPECT_EQ(search.pattern.diagonal, expected.diagonal) << named.name;
    EXPECT_EQ(search.counts.new_fill, expected.rows.nnz() - b.nnz()) << named.name;
    EXPECT_GE(search.counts.enqueued, search.counts.enqueued_again) << named.name;
  }
}

// A path that lowers the maxId of one vertex over and over: 0 is reached from every vertex below
// the source, each time with a smaller maximum.
TEST(ReferenceGsofa, AVertexIsSearchedAgainWhenItsMaxIdFalls) {
  // n - 1 -> n - 2 -> ... -> 1, every one of them -> 0, and 0 -> n: a fill of the last row.
  constexpr Index n = 12;
  std::vector<test::Triplet> entries{{n - 1, n - 2, 1.0}};
  for (Index v = 1; v < n - 1; ++v) {
    entries.push_back({v, 0, 1.0});
    if (v > 1) entries.push_back({v, v - 1, 1.0});
  }
  for (Index v = 0; v < n; ++v) entries.push_back({v, v, 4.0});
  const CsrPattern b = test::natural_order(test::matrix_from_triplets(n, entries)).pattern;
  const GsofaSearch search = gsofa(b);
  EXPECT_EQ(search.pattern.rows.col_idx, fill2(b).rows.col_idx);
}

TEST(ReferenceSupernodes, FailingTheSecondTestStartsTheNextOne) {
  // U(s,:) shrinks by one entry in every row, but row 2 has no L(2, 0).
  const CsrPattern b = test::natural_order(test::matrix_from_triplets(4, {{0, 0, 4.},
                                                                          {0, 1, 1.},
                                                                          {0, 2, 1.},
                                                                          {0, 3, 1.},
                                                                          {1, 0, 1.},
                                                                          {1, 1, 4.},
                                                                          {1, 2, 1.},
                                                                          {1, 3, 1.},
                                                                          {2, 2, 4.},
                                                                          {2, 3, 1.},
                                                                          {3, 2, 1.},
                                                                          {3, 3, 4.}}))
                           .pattern;
  const SupernodeSearch search = t3_supernodes(row_merge(b), 128);
  EXPECT_EQ(search.leaders, (std::vector<Index>{0}));
  EXPECT_EQ(search.supernodes, (std::vector<Index>{0, 2, 4}));
}

// bcsstk18 in the order of SuperLU_DIST, as GSoFa's public code has it.
TEST(ReferenceGsofa, GoldenCountsOfBcsstk18) {
  const char* folder = std::getenv("LUFACT_TEST_DATA");
  if (folder == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA is not set";
  const auto file = std::filesystem::path(folder) / "golden" / "bcsstk18_superlu_order.mtx.xz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  const CsrPattern b = test::natural_order(read_matrix(file.string(), {}).matrix).pattern;
  GsofaSearch search = gsofa(b);
  EXPECT_EQ(search.counts.new_fill, 980136);
  EXPECT_EQ(search.counts.most_iterations, 34);
  EXPECT_EQ(search.pattern.rows.col_idx, row_merge(b).rows.col_idx);
  Offset nnz_l = 0;
  for (std::size_t row = 0; row < search.pattern.diagonal.size(); ++row) {
    nnz_l += search.pattern.diagonal[row] - search.pattern.rows.row_ptr[row];
  }
  EXPECT_EQ(nnz_l, 558639);
  EXPECT_EQ(search.pattern.rows.nnz() - nnz_l, 570587);
  EXPECT_EQ(t3_supernodes(search.pattern, 128).leaders.size(), 6589U);
  const std::pair<Index, std::size_t> expected[] = {{64, 6821}, {128, 6779}, {256, 6755}};
  for (const auto& [chunk_size, supernodes] : expected) {
    search.pattern.supernodes = t3_supernodes(search.pattern, chunk_size).supernodes;
    EXPECT_EQ(search.pattern.supernodes.size() - 1, supernodes) << chunk_size;
    EXPECT_TRUE(validate_supernodes(search.pattern, chunk_size).passed);
  }
}

}  // namespace
}  // namespace lufact::reference
