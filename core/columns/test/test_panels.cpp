// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/random.hpp"
#include "core/columns/panels.hpp"
#include "core/columns/test/dense_elimination.hpp"
#include "core/columns/test/stage_harness.hpp"
#include "core/matrix/counting_sort.hpp"
#include "core/matrix/first_touch.hpp"

namespace lufact {
namespace {

// Parent k of column j of the Cholesky factor: the first entry below its diagonal.
std::vector<Index> dense_forest(const CsrPattern& b) {
  const auto filled = test::eliminate_pattern(symmetric_graph(b.view()));
  std::vector<Index> parent(filled.size(), -1);
  for (std::size_t j = 0; j < filled.size(); ++j) {
    for (std::size_t k = filled.size(); k-- > j + 1;) {
      if (filled(k, j) != 0) parent[j] = static_cast<Index>(k);
    }
  }
  return parent;
}

TEST(EliminationForest, IsThatOfDenseEliminationOnAnyNumberOfThreads) {
  for (const auto& named : test::cpu_matrices()) {
    SCOPED_TRACE(named.name);
    const CsrPattern& b = named.matrix.pattern;
    const std::vector<Index> expected = dense_forest(b);
    for (const int threads : {1, 3, 8}) {
      const EarlierNeighbours graph(b.view(), threads);
      EXPECT_EQ(elimination_forest(graph, threads), expected);
      const bool symmetric =
          transpose(b.view()).col_idx == b.col_idx && transpose(b.view()).row_ptr == b.row_ptr;
      EXPECT_EQ(graph.symmetric(), symmetric);
    }
  }
}

TEST(Panels, ArePathsOfTheForestWithConsecutiveLabels) {
  // 0 - 1 - 2 - 5 with 3 - 4 beside; 6 is alone.
  const Panels panels = find_panels(std::vector<Index>{1, 2, 5, 4, 5, -1, -1});
  EXPECT_EQ(panels.first, (std::vector<Index>{0, 3, 6, 7}));
  EXPECT_EQ(panels.of, (std::vector<Index>{0, 0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(panels.next, (std::vector<Index>{5, -1, -1}));
  EXPECT_EQ(panels.parent, (std::vector<Index>{1, -1, -1}));
}

TEST(Panels, AreAsWideAsAWordAtMost) {
  std::vector<Index> path(150);
  for (std::size_t k = 0; k < path.size(); ++k) path[k] = static_cast<Index>(k) + 1;
  path.back() = -1;
  EXPECT_EQ(find_panels(path).first, (std::vector<Index>{0, 64, 128, 150}));
  EXPECT_EQ(find_panels({}).count(), 0);
}

TEST(PanelBits, TransposesBlocksOfAnySize) {
  for (const int count : {1, 2, 7, 33, 63, 64}) {
    for (const int width : {1, 5, 32, 64}) {
      WordBlock rows{}, columns;
      for (int r = 0; r < count; ++r) {
        rows[std::size_t(r)] = mix64(std::uint64_t(64 * r + width)) & bits_below(width);
      }
      transpose(rows.data(), count, width, columns);
      for (int r = 0; r < panel_width; ++r) {
        for (int c = 0; c < width; ++c) {
          EXPECT_EQ((rows[std::size_t(r)] & bit(c)) != 0, (columns[std::size_t(c)] & bit(r)) != 0);
        }
      }
    }
  }
}

TEST(PanelBits, WritesTheLabelsOfAWord) {
  const Word words[] = {0, 1, bit(63), ~Word{0}, bits_above(60), bits_below(7), bit(3) | bit(40)};
  for (const Word word : words) {
    std::vector<Index> expected, found(64, -1);
    for (int b = 0; b < panel_width; ++b) {
      if ((word & bit(b)) != 0) expected.push_back(1000 + b);
    }
    Index* const end = write_labels(word, 1000, found.data());
    found.resize(std::size_t(end - found.data()));
    EXPECT_EQ(found, expected);
  }
}

TEST(CountingSort, SortsStably) {
  const std::vector<Index> bucket_of{2, 0, 3, 3, 0, 2, 2, 0, 3};
  for (const int ranges : {1, 2, 9}) {
    CountingSort positions(ranges, 5);
    const auto range_of = [&](std::size_t item) {
      return static_cast<Offset>(item) * ranges / static_cast<Offset>(bucket_of.size());
    };
    for (Offset range = 0; range < ranges; ++range) positions.clear(range);
    for (std::size_t k = 0; k < bucket_of.size(); ++k) {
      ++positions.counts(range_of(k))[bucket_of[k]];
    }
    std::vector<Offset> ptr(6);
    positions.to_positions(ptr, 3);
    EXPECT_EQ(ptr, (std::vector<Offset>{0, 3, 3, 6, 9, 9}));
    std::vector<std::size_t> items(bucket_of.size());
    for (std::size_t k = 0; k < bucket_of.size(); ++k) {
      items[std::size_t(positions.counts(range_of(k))[bucket_of[k]]++)] = k;
    }
    EXPECT_EQ(items, (std::vector<std::size_t>{1, 4, 7, 0, 5, 6, 2, 3, 8}));
  }
}

TEST(BalancedRanges, CoverAllItems) {
  EXPECT_EQ(balanced_ranges(std::vector<Offset>{0}, 3), (std::vector<Index>{0, 0, 0, 0}));
  EXPECT_EQ(balanced_ranges(std::vector<Offset>{0, 1, 2, 3, 4}, 2), (std::vector<Index>{0, 2, 4}));
}

TEST(FirstTouch, GivesZeros) {
  for (const Offset size : {Offset{0}, Offset{1}, Offset{1023}, Offset{5000}}) {
    const auto array = zeros_touched_by<Index>(3, size);
    EXPECT_EQ(array, std::vector<Index>(std::size_t(size), 0));
  }
}

}  // namespace
}  // namespace lufact
