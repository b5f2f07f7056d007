// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/distribution/row_assembly.hpp"
#include "core/distribution/test/thread_ranks.hpp"

namespace lufact {
namespace {

// Row i has the columns 0, i / 2 and i, each once.
std::vector<Index> columns_of(Index row) {
  std::vector<Index> columns{0};
  if (row / 2 > 0) columns.push_back(row / 2);
  if (row > columns.back()) columns.push_back(row);
  return columns;
}

FoundRows rows_of(const GsofaShare& share) {
  FoundRows rows{.share = share};
  for (Offset place = 0; place < share.count(); ++place) {
    for (const Index column : columns_of(share.row(place))) rows.columns.push_back(column);
    rows.row_ptr.push_back(static_cast<Offset>(rows.columns.size()));
    rows.diagonal.push_back(rows.row_ptr.back() - 1);
  }
  return rows;
}

ColumnPattern assembled(Index n, Index size, GsofaInter inter, int threads) {
  GsofaOptions options;
  options.chunk_size = 8;
  options.inter = inter;
  ColumnPattern pattern;
  test::run_on_ranks(size, [&](RankGroup& ranks) {
    const auto share_of = [&](Index rank) { return gsofa_share(n, options, {size, 1}, rank, 0); };
    FoundRows own = rows_of(share_of(ranks.rank()));
    if (ranks.rank() > 0) return send_rows(ranks, own);
    std::vector<GsofaShare> shares;
    std::vector<RankReport> reports;
    for (Index rank = 1; rank < size; ++rank) {
      shares.push_back(share_of(rank));
      reports.emplace_back().slice_entries = {rows_of(shares.back()).entries()};
    }
    pattern = assemble_rows(ranks, n, std::move(own), shares, reports, threads);
  });
  return pattern;
}

TEST(RowAssembly, TheRowsOfAllRanksAreOnePattern) {
  for (const Index n : {1, 7, 8, 9, 100, 1000}) {
    for (const Index size : {1, 2, 3, 5}) {
      for (const GsofaInter inter : {GsofaInter::interleave, GsofaInter::block}) {
        SCOPED_TRACE(testing::Message() << n << " rows on " << size << ", " << to_string(inter));
        const ColumnPattern pattern = assembled(n, size, inter, 2);
        ASSERT_EQ(pattern.rows.n_rows, n);
        for (Index row = 0; row < n; ++row) {
          const auto found = pattern.rows.row(row);
          ASSERT_THAT(std::vector<Index>(found.begin(), found.end()),
                      testing::ElementsAreArray(columns_of(row)));
          ASSERT_EQ(pattern.diagonal[at(row)], pattern.rows.row_ptr[at(row) + 1] - 1);
        }
      }
    }
  }
}

TEST(RowAssembly, SentBytesAreCountsColumnsAndSupernodes) {
  RankReport report;
  report.slice_entries = {10, 5};
  report.supernodes = 2;
  EXPECT_EQ(sent_bytes(3, report), 7U * 8 + 17U * 4);
}

}  // namespace
}  // namespace lufact
