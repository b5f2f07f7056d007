// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/pipeline/row_labels.hpp"

namespace lufact {
namespace {

std::vector<double> counted(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

// Every part of a block of three columns, from and to every entry.
TEST(RowLabels, PartsAreThoseOfTheWholeBlock) {
  const std::vector<Index> labels{2, 0, 3, 1};
  const std::vector<double> from = counted(12);
  const std::vector<double> expected{3, 1, 4, 2, 7, 5, 8, 6, 11, 9, 12, 10};
  for (std::size_t first = 0; first <= from.size(); ++first) {
    for (std::size_t end = first; end <= from.size(); ++end) {
      std::vector<double> part(end - first);
      gather_rows(from, labels, static_cast<Offset>(first), part);
      EXPECT_EQ(part, std::vector<double>(expected.begin() + static_cast<std::ptrdiff_t>(first),
                                          expected.begin() + static_cast<std::ptrdiff_t>(end)));
      std::vector<double> back(from.size(), 0.0);
      scatter_rows(part, labels, static_cast<Offset>(first), back);
      for (std::size_t k = 0; k < from.size(); ++k) {
        const bool in_part = std::find(part.begin(), part.end(), from[k]) != part.end();
        EXPECT_EQ(back[k], in_part ? from[k] : 0.0);
      }
    }
  }
}

TEST(RowLabels, WithoutLabelsRowsStayWhereTheyAre) {
  const std::vector<double> from = counted(5);
  std::vector<double> part(2), back(5, 0.0);
  gather_rows(from, {}, 3, part);
  EXPECT_EQ(part, (std::vector<double>{4, 5}));
  scatter_rows(part, {}, 1, back);
  EXPECT_EQ(back, (std::vector<double>{0, 4, 5, 0, 0}));
  gather_rows({}, {}, 0, {});
}

}  // namespace
}  // namespace lufact
