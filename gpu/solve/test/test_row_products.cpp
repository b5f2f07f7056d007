// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "core/pipeline/queued_work.hpp"
#include "gpu/solve/test/both_sides.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

using RowProducts = DeviceTest;

double largest(const std::vector<double>& values, std::size_t first, std::size_t count) {
  double result = 0;
  for (std::size_t k = first; k < first + count; ++k)
    result = std::max(result, std::abs(values[k]));
  return result;
}

TEST_F(RowProducts, SanitizeProductsOfLongRowsAgreeWithTheHost) {
  for (const auto& problem :
       {dense_row_problem(700), dense_row_problem(1500), arrow_problem(500, true)}) {
    SCOPED_TRACE(problem.name);
    const BothSides sides(session(), problem);
    for (const Index columns : {1, 3}) {
      sides.check(columns, make_residual);
    }
  }
}

// The error is what its definition gives with the residual of the device, in every call.
void check_error(const BothSides& sides, Index columns) {
  const auto n = static_cast<std::size_t>(sides.n());
  const auto size = n * static_cast<std::size_t>(columns);
  const std::vector<double> x = random_values(size, 1), b = random_values(size, 2);
  std::vector<double> r(size);
  const auto x_block = sides.block(x), b_block = sides.block(b), r_block = sides.block(r);
  for (int call = 0; call < 3; ++call) {
    const double error =
        sides.device->residual(*sides.device_matrix, 3.5, *x_block, *b_block, *r_block);
    sides.device->read(*r_block, r);
    double expected = 0;
    for (std::size_t first = 0; first < size; first += n) {
      const double scale = 3.5 * largest(x, first, n) + largest(b, first, n);
      expected = std::max(expected, largest(r, first, n) / scale);
    }
    ASSERT_DOUBLE_EQ(error, expected) << "call " << call;
    auto& queued = *find_part<QueuedVectors>(sides.device.get());
    queued.queue_residual(*sides.device_matrix, 3.5, *x_block, *b_block, *r_block);
    ASSERT_EQ(queued.queued_residual(), error) << "call " << call;
  }
}

TEST_F(RowProducts, SanitizeTheBackwardErrorIsThatOfTheResidualInEveryCall) {
  for (const auto& problem : {random_problem(200), dense_row_problem(1500),
                              arrow_problem(500, true), dense_problem(70)}) {
    const BothSides sides(session(), problem);
    for (const Index columns : {1, 3, 64, 65, 130}) {
      SCOPED_TRACE(problem.name + ", columns: " + std::to_string(columns));
      check_error(sides, columns);
    }
  }
}

// Rows of `lengths` entries in neighbouring columns; rows of the same length are the same.
HostProblem problem_of_lengths(std::string name, const std::vector<Index>& lengths) {
  HostProblem problem;
  problem.name = std::move(name);
  PermutedMatrix& b = problem.matrix;
  const auto n = static_cast<Index>(lengths.size());
  b.pattern.n_rows = b.pattern.n_cols = n;
  b.pattern.row_ptr.assign(1, 0);
  b.row_scale.assign(lengths.size(), 1.0);
  b.col_scale.assign(lengths.size(), 1.0);
  for (const Index length : lengths) {
    const Index first = length % (n - length + 1);
    for (Index k = 0; k < length; ++k) {
      const std::uint64_t bits =
          hash64(static_cast<std::uint64_t>(length), static_cast<std::uint64_t>(k));
      b.pattern.col_idx.push_back(first + k);
      b.values.push_back(symmetric_interval(bits) / (1 + 0.01 * length));
    }
    b.pattern.row_ptr.push_back(static_cast<Offset>(b.values.size()));
  }
  return problem;
}

// n rows: `long_rows` from row `first` at a distance, the others with `filler` entries.
HostProblem problem_with_long_rows(Index n, Index filler, const std::vector<Index>& long_rows,
                                   std::size_t first, std::size_t distance) {
  std::vector<Index> lengths(static_cast<std::size_t>(n), filler);
  for (const Index length : long_rows) {
    lengths[first] = length;
    first += distance;
  }
  return problem_of_lengths(std::to_string(n) + " rows, most of " + std::to_string(filler),
                            lengths);
}

// Agrees with the host, and the order of sums depends on the row alone.
void check_rows(DeviceSession& session, const HostProblem& problem) {
  SCOPED_TRACE(problem.name);
  const BothSides sides(session, problem);
  for (const Index columns : {1, 3}) {
    sides.check(columns, make_residual);
    sides.check(columns, [](VectorBackend& v, const Product& b, VectorBlock& x, VectorBlock& y) {
      v.multiply(b, x, y);
    });
    check_error(sides, columns);
  }
  const auto x = sides.block(random_values(static_cast<std::size_t>(sides.n()), 1));
  const auto y = sides.device->make(sides.n(), 1);
  sides.device->multiply(*sides.device_matrix, *x, *y);
  std::vector<double> product(static_cast<std::size_t>(sides.n()));
  sides.device->read(*y, product);
  const std::vector<Offset>& row_ptr = problem.matrix.pattern.row_ptr;
  std::map<Offset, double> of_length;
  for (std::size_t i = 0; i < product.size(); ++i) {
    const Offset length = row_ptr[i + 1] - row_ptr[i];
    ASSERT_EQ(of_length.try_emplace(length, product[i]).first->second, product[i]) << "row " << i;
  }
}

// Lengths at which threads, warps and blocks change what they do.
std::vector<Index> lengths_at_thresholds() {
  std::vector<Index> lengths = {0, 0};
  for (const Index threshold : {1, 4, 8, 16, 32, 64, 192, 256, 384, 576, 768, 1152}) {
    for (const Index length : {threshold - 1, threshold, threshold + 1}) {
      lengths.insert(lengths.end(), {length, length});
    }
  }
  return lengths;
}

// 4, 8 and 32 threads for each row.
TEST_F(RowProducts, ProductsOfRowsOfEveryLengthAgreeWithTheHost) {
  const std::vector<Index> lengths = lengths_at_thresholds();
  for (const Index filler : {1, 10, 30}) {
    for (const std::size_t distance : {1u, 37u}) {
      check_rows(session(), problem_with_long_rows(6000, filler, lengths, 11, distance));
    }
  }
}

TEST_F(RowProducts, SanitizeProductsOfRowsOfEveryLengthUpToTheBlock) {
  const std::vector<Index> lengths = {0, 1, 31, 32, 33, 63, 64, 65, 255, 256, 257, 384, 385, 480};
  for (const Index filler : {1, 10, 30}) {
    check_rows(session(), problem_with_long_rows(500, filler, lengths, 470, 2));
  }
}

// More pieces of rows in one block than it has threads, and rows of very many entries.
TEST_F(RowProducts, ProductsOfManyAndOfVeryLongRowsAgreeWithTheHost) {
  std::vector<Index> neighbours;
  for (Index k = 0; k < 100; ++k) neighbours.push_back(200 + 37 * (k % 11));
  for (const Index filler : {1, 10, 30}) {
    check_rows(session(), problem_with_long_rows(20000, filler, neighbours, 19890, 1));
  }
  check_rows(session(), problem_with_long_rows(60, 60, {}, 0, 1));
  check_rows(session(), problem_with_long_rows(3000, 2900, {}, 0, 1));
  check_rows(session(), problem_with_long_rows(100100, 2, {100000, 98304, 98305, 70000}, 5, 6));
}

// Exactly the rows that have an entry in the column of a number that is not finite are not.
TEST_F(RowProducts, NonFiniteNumbersSpreadToTheirRowsAlone) {
  const HostProblem problem = problem_with_long_rows(2000, 5, lengths_at_thresholds(), 700, 3);
  const BothSides sides(session(), problem);
  const CsrPattern& pattern = problem.matrix.pattern;
  const std::vector<double> b = random_values(2000, 2);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const std::size_t column : {0u, 7u, 300u, 1999u}) {
      std::vector<double> x = random_values(2000, 1), r(2000);
      x[column] = bad;
      const auto r_block = sides.block(r);
      EXPECT_EQ(sides.device->residual(*sides.device_matrix, 1, *sides.block(x), *sides.block(b),
                                       *r_block),
                std::numeric_limits<double>::infinity());
      sides.device->read(*r_block, r);
      for (std::size_t i = 0; i < r.size(); ++i) {
        const auto entries =
            std::span(pattern.col_idx)
                .subspan(static_cast<std::size_t>(pattern.row_ptr[i]),
                         static_cast<std::size_t>(pattern.row_ptr[i + 1] - pattern.row_ptr[i]));
        const bool has_it = std::ranges::count(entries, static_cast<Index>(column)) > 0;
        ASSERT_EQ(std::isfinite(r[i]), !has_it) << "row " << i << ", column " << column;
      }
    }
  }
}

// Warps take several tiles of rows each.
TEST_F(RowProducts, ResidualsOfManyRowsAgreeWithTheHost) {
  const auto problem = chain_problem(350000);
  const BothSides sides(session(), problem);
  sides.check(1, make_residual);
  const auto x = sides.block(random_values(static_cast<std::size_t>(sides.n()), 1));
  const auto r = sides.device->make(sides.n(), 1);
  const double error = sides.device->residual(*sides.device_matrix, 5, *x, *x, *r);
  for (int call = 0; call < 20; ++call) {
    ASSERT_EQ(sides.device->residual(*sides.device_matrix, 5, *x, *x, *r), error);
  }
}

// B = I: r is b - x. Every call leaves the device ready for the next one.
TEST_F(RowProducts, SanitizeBackwardErrorTakesTheWorstColumnAndKnowsZeroAndNonFinite) {
  const auto problem = make_problem("identity", 2, {{{0, 0}, 1.0}, {{1, 1}, 1.0}});
  const BothSides sides(session(), problem);
  const auto error = [&](const std::vector<double>& x, const std::vector<double>& b) {
    const auto r = sides.device->make(2, static_cast<Index>(x.size() / 2));
    return sides.device->residual(*sides.device_matrix, 2, *sides.block(x), *sides.block(b), *r);
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error({}, {}), 0);
  EXPECT_EQ(error({0, 0}, {0, 0}), 0);
  EXPECT_EQ(error({1, -3}, {1, 2}), 0.625);
  EXPECT_EQ(error({1, -3, 1, 1}, {1, 2, 6, 1}), 0.625);
  EXPECT_EQ(error({1, -3, 2, 2}, {1, 2, 12, 2}), 0.625);
  EXPECT_EQ(error({1, 1, 1, 0}, {1, 1, 30, 0}), 29.0 / 32);
  EXPECT_EQ(error({0, 0}, {1, 0}), 1);
  for (const double bad : {std::nan(""), -std::nan(""), infinity, -infinity}) {
    EXPECT_EQ(error({1, 1, 1, 1}, {1, 1, 1, bad}), infinity);
    EXPECT_EQ(error({bad, 1, 1, 1}, {1, 1, 1, 1}), infinity);
    EXPECT_EQ(error({1, -3}, {1, 2}), 0.625);
  }
  EXPECT_EQ(error({1e308, 0}, {1e308, 0}), infinity) << "an overflow of the scale";
}

TEST_F(RowProducts, SanitizeResidualsOfNothingAreZero) {
  const auto problem = make_problem("empty", 0, {});
  const auto matrix = upload(session(), problem.matrix);
  const auto vectors = make_device_vector_backend(session());
  for (const Index columns : {0, 1, 70}) {
    const auto x = vectors->make(0, columns), r = vectors->make(0, columns);
    EXPECT_EQ(vectors->residual(*matrix, 1, *x, *x, *r), 0);
  }
}

}  // namespace
}  // namespace lufact::gpu
