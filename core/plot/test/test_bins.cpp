// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/plot/bins.hpp"
#include "core/plot/matrix_figures.hpp"

namespace lufact::plot {
namespace {

using testing::ElementsAre;

std::vector<Offset> counts_of(const std::vector<Bin>& bins) {
  std::vector<Offset> counts;
  for (const Bin& bin : bins) counts.push_back(bin.count);
  return counts;
}

std::vector<std::string> texts_of(const std::vector<Bin>& bins) {
  std::vector<std::string> texts;
  for (const Bin& bin : bins) texts.push_back(text_of(bin));
  return texts;
}

TEST(Histogram, HasABinForEachOfFewValues) {
  const std::vector<Offset> values{3, 5, 3, 4, 3, 7};
  const std::vector<Bin> bins = histogram(values);
  EXPECT_THAT(texts_of(bins), ElementsAre("3", "4", "5", "6", "7"));
  EXPECT_THAT(counts_of(bins), ElementsAre(3, 1, 1, 0, 1));
}

TEST(Histogram, DoublesItsBinsForManyValues) {
  const std::vector<Offset> values{0, 1, 2, 3, 4, 7, 8, 100, 127, 128};
  const std::vector<Bin> bins = histogram(values);
  EXPECT_THAT(texts_of(bins),
              ElementsAre("0", "1", "2-3", "4-7", "8-15", "16-31", "32-63", "64-127", "128-255"));
  EXPECT_THAT(counts_of(bins), ElementsAre(1, 1, 2, 2, 1, 0, 0, 2, 1));
}

TEST(Histogram, CountsEveryValueOnce) {
  std::vector<Offset> values;
  for (Offset k = 0; k < 10'000; ++k) values.push_back(k * k % 4099);
  const std::vector<Bin> bins = histogram(values);
  const std::vector<Offset> counts = counts_of(bins);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), Offset{0}), 10'000);
  for (const Offset value : values) {
    const Bin& bin = bins[bin_of(bins, value)];
    ASSERT_TRUE(bin.first <= value && value <= bin.last) << value;
  }
  EXPECT_TRUE(histogram({}).empty());
}

TEST(SumsOfNeighbours, KeepTheTotal) {
  const std::vector<Offset> widths{10, 5, 3, 2, 1, 1, 1};
  const std::vector<Bin> bins = sums_of_neighbours(widths, 3);
  EXPECT_THAT(texts_of(bins), ElementsAre("0-2", "3-5", "6"));
  EXPECT_THAT(counts_of(bins), ElementsAre(18, 4, 1));
  EXPECT_THAT(counts_of(sums_of_neighbours(widths, 7)), ElementsAre(10, 5, 3, 2, 1, 1, 1));
  EXPECT_TRUE(sums_of_neighbours({}, 3).empty());
}

TEST(FrontFlops, AreThoseOfItsPivots) {
  // 5 x 5 with 3 pivots: 4, 3 and 2 rows below.
  EXPECT_EQ(front_flops(3, 2), (4 + 2 * 16) + (3 + 2 * 9) + (2 + 2 * 4));
  EXPECT_EQ(front_flops(0, 7), 0);
}

}  // namespace
}  // namespace lufact::plot
