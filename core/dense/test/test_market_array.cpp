// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "core/base/error.hpp"
#include "core/batch/npy.hpp"
#include "core/dense/market_array.hpp"

namespace lufact {
namespace {

std::vector<double> values_of(const std::string& text) {
  const auto dense = parse_market_array(text, "a.mtx");
  return {dense.value().values.begin(), dense.value().values.end()};
}

TEST(MarketArray, GeneralSymmetricAndSkew) {
  EXPECT_EQ(
      values_of("%%MatrixMarket matrix array real general\n% words\n\n2 3\n1\n2\n3\n4\n5\n6\n"),
      (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2 +3\n"),
            (std::vector<double>{1, 2, 2, 3}));
  EXPECT_EQ(values_of("%%MatrixMarket matrix array real skew-symmetric\n2 2\n-1.5e0"),
            (std::vector<double>{0, -1.5, 1.5, 0}));
}

TEST(MarketArray, OtherFormatsAreLeftToTheirReader) {
  EXPECT_FALSE(parse_market_array("%%MatrixMarket matrix coordinate real general\n1 1 1\n", "a"));
  EXPECT_FALSE(parse_market_array("", "a"));
}

void expect_fault(const std::string& text, const std::string& words) {
  try {
    parse_market_array(text, "a.mtx");
    FAIL() << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(MarketArray, FaultsNameTheirLine) {
  const std::string head = "%%MatrixMarket matrix array real general\n";
  expect_fault(head + "2 2\n1\n2\n3\n", "cut");
  expect_fault(head + "1 1\n1\n2\n", "more entries");
  expect_fault(head + "1 2\n1\nx\n", "a.mtx:4");
  expect_fault(head + "1000000 1000000\n1\n", "more than the file");
  expect_fault(head + "0 2\n", "array of 0 x 2");
  expect_fault("%%MatrixMarket matrix array complex general\n1 1\n1 0\n", "complex");
  expect_fault("%%MatrixMarket matrix array pattern general\n1 1\n", "accepted: real, integer");
}

TEST(NpyMatrix, OneMatrixOfAnyShape) {
  const std::string path = testing::TempDir() + "tall.npy";
  {
    NpyWriter writer(path, NpyType::float32, {3, 2});
    const double by_columns[] = {1, 2, 3, 4, 5, 6};
    writer.add_matrix(by_columns);
    writer.commit();
  }
  const NpyMatrix matrix = read_npy_matrix(path);
  EXPECT_EQ(matrix.rows, 3);
  EXPECT_EQ(matrix.columns, 2);
  EXPECT_EQ(std::vector<double>(matrix.values.begin(), matrix.values.end()),
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace lufact
