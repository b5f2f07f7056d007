// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/columns/host_vectors.hpp"
#include "core/columns/test/stage_harness.hpp"

namespace lufact {
namespace {

std::unique_ptr<VectorBlock> block_of(VectorBackend& backend, Index rows,
                                      const std::vector<double>& values) {
  auto block = backend.make(rows, static_cast<Index>(values.size()) / std::max(rows, 1));
  backend.write(values, *block);
  return block;
}

std::vector<double> contents(VectorBackend& backend, const VectorBlock& block) {
  std::vector<double> values(std::size_t(block.rows()) * std::size_t(block.columns()));
  backend.read(block, values);
  return values;
}

std::vector<double> random_values(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = symmetric_interval(hash64(5, k));
  return values;
}

TEST(HostVectors, SetToZeroAndCopyColumns) {
  const auto backend = make_host_vector_backend(2);
  const auto x = block_of(*backend, 3, {1, 2, 3, 4, 5, 6});
  const auto y = block_of(*backend, 3, std::vector<double>(9, 7.0));
  backend->set_to_zero(*y);
  EXPECT_EQ(contents(*backend, *y), std::vector<double>(9, 0.0));
  backend->copy_column(*x, 1, *y, 2);
  EXPECT_EQ(contents(*backend, *y), (std::vector<double>{0, 0, 0, 0, 0, 0, 4, 5, 6}));
}

TEST(HostVectors, AddScaleAndMeasure) {
  const auto backend = make_host_vector_backend(2);
  const auto x = block_of(*backend, 3, {1, -2, 3});
  const auto y = block_of(*backend, 3, {10, 20, 30});
  backend->add_scaled(2.0, *x, *y);
  EXPECT_EQ(contents(*backend, *y), (std::vector<double>{12, 16, 36}));
  backend->scale(-0.5, *y);
  EXPECT_EQ(contents(*backend, *y), (std::vector<double>{-6, -8, -18}));
  EXPECT_DOUBLE_EQ(backend->dot(*x, *y), -6 + 16 - 54);
}

TEST(HostVectors, MultiplyAndResidualUseTheUnscaledMatrix) {
  const auto b =
      test::natural_product(test::matrix_from_triplets(2, {{0, 0, 2}, {0, 1, 3}, {1, 1, 5}}));
  test::give_scales(*b, 1);
  const auto backend = make_host_vector_backend(2);
  const auto x = block_of(*backend, 2, {1, 2, -1, 1});
  const auto y = backend->make(2, 2);
  backend->multiply(*b, *x, *y);
  EXPECT_EQ(contents(*backend, *y), (std::vector<double>{8, 10, 1, 5}));
  const auto rhs = block_of(*backend, 2, {10, 10, 1, 6});
  EXPECT_DOUBLE_EQ(backend->residual(*b, 5, *x, *rhs, *y), 2.0 / (5 * 2 + 10));
  EXPECT_EQ(contents(*backend, *y), (std::vector<double>{2, 0, 0, 1}));
  backend->scale_by_rows(*b, *x);
  EXPECT_EQ(contents(*backend, *x)[3], b->row_scale[1]);
  backend->write(std::vector<double>{1, 1, 1, 1}, *x);
  backend->scale_by_columns(*b, *x);
  EXPECT_EQ(contents(*backend, *x)[2], b->col_scale[0]);
}

TEST(HostVectors, BackwardErrorIsThatOfTheWorstColumn) {
  const auto one = test::natural_product(test::matrix_from_triplets(2, {{0, 0, 1}, {1, 1, 1}}));
  const auto backend = make_host_vector_backend(1);
  const auto error = [&](const std::vector<double>& x, const std::vector<double>& b) {
    const auto r = backend->make(2, static_cast<Index>(x.size() / 2));
    return backend->residual(*one, 3.0, *block_of(*backend, 2, x), *block_of(*backend, 2, b), *r);
  };
  EXPECT_DOUBLE_EQ(error({1, 2, 0, 0}, {1.5, 1, 0, 0}), 1.0 / (3 * 2 + 1.5));
  EXPECT_DOUBLE_EQ(error({1, 2, 1, 1}, {1.5, 1, 4, 1}), 3.0 / (3 * 1 + 4));
  EXPECT_EQ(error({0, 0, 0, 0}, {0, 0, 0, 0}), 0);
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), inf, 1e308}) {
    EXPECT_EQ(error({1, 2, 0, 0}, {1, bad, 0, 0}) == inf, bad != 1e308);
    EXPECT_EQ(error({1, bad, 0, 0}, {1, 1, 0, 0}), inf);
  }
}

TEST(HostVectors, SumsDoNotDependOnTheNumberOfThreads) {
  const Index n = 20000;
  const auto b = test::natural_product(test::random_matrix(n, 3, 2));
  const auto one = make_host_vector_backend(1);
  const auto x = block_of(*one, n, random_values(std::size_t(n)));
  const auto expected = one->make(n, 1);
  one->multiply(*b, *x, *expected);
  for (const int threads : {2, 5}) {
    const auto backend = make_host_vector_backend(threads);
    EXPECT_EQ(backend->dot(*x, *expected), one->dot(*x, *expected));
    const auto y = backend->make(n, 1);
    backend->multiply(*b, *x, *y);
    EXPECT_EQ(contents(*backend, *y), contents(*one, *expected));
  }
}

}  // namespace
}  // namespace lufact
