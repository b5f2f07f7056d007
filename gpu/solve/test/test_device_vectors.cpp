// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/cpu/host_vectors.hpp"
#include "gpu/solve/device_vectors.hpp"
#include "gpu/solve/test/device_problem.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

std::vector<double> random_values(std::size_t size, std::uint64_t seed) {
  std::vector<double> values(size);
  for (std::size_t k = 0; k < size; ++k) values[k] = symmetric_interval(hash64(seed, k));
  return values;
}

// The same operations on both sides.
struct BothSides {
  BothSides(DeviceSession& session, const HostProblem& from)
      : problem(from),
        device_matrix(upload(session, from.matrix)),
        device(make_device_vector_backend(session)),
        host(make_host_vector_backend(1)) {}

  Index n() const { return problem.matrix.pattern.n_rows; }

  // Runs `work(backend, matrix, x, y)` on two seeded blocks on each side and compares both after.
  template <class Work>
  void check(Index columns, const Work& work) const {
    const auto size = static_cast<std::size_t>(n()) * static_cast<std::size_t>(columns);
    std::vector<std::vector<double>> results;
    for (const bool on_device : {true, false}) {
      VectorBackend& backend = on_device ? *device : *host;
      const Product& matrix = on_device ? static_cast<const Product&>(*device_matrix)
                                        : static_cast<const Product&>(problem.matrix);
      const auto x = backend.make(n(), columns);
      const auto y = backend.make(n(), columns);
      backend.write(random_values(size, 1), *x);
      backend.write(random_values(size, 2), *y);
      work(backend, matrix, *x, *y);
      for (const VectorBlock* block : {x.get(), y.get()}) {
        results.emplace_back(size);
        backend.read(*block, results.back());
      }
    }
    for (std::size_t k = 0; k < size; ++k) {
      ASSERT_NEAR(results[0][k], results[2][k], 1e-12) << "x, entry " << k;
      ASSERT_NEAR(results[1][k], results[3][k], 1e-12) << "y, entry " << k;
    }
  }

  const HostProblem& problem;
  std::shared_ptr<DevicePermutedMatrix> device_matrix;
  std::unique_ptr<VectorBackend> device, host;
};

using DeviceVectors = DeviceTest;

TEST_F(DeviceVectors, SanitizeEveryOperationAgreesWithTheHost) {
  for (const auto& problem : small_problems()) {
    SCOPED_TRACE(problem.name);
    const BothSides sides(session(), problem);
    for (const Index columns : {1, 3}) {
      using Backend = VectorBackend;
      using Block = VectorBlock;
      sides.check(columns, [](Backend& v, const Product&, Block& x, Block& y) { v.copy(x, y); });
      sides.check(columns, [columns](Backend& v, const Product&, Block& x, Block& y) {
        v.copy_column(x, columns - 1, y, 0);
      });
      sides.check(columns, [](Backend& v, const Product& b, Block& x, Block& y) {
        v.scale_by_rows(b, x);
        v.scale_by_columns(b, y);
      });
      sides.check(columns, [](Backend& v, const Product&, Block& x, Block& y) {
        v.add_scaled(-0.75, x, y);
        v.scale(3, x);
      });
      sides.check(columns,
                  [](Backend& v, const Product& b, Block& x, Block& y) { v.multiply(b, x, y); });
      sides.check(columns,
                  [](Backend& v, const Product& b, Block& x, Block& y) { v.residual(b, x, y, y); });
    }
  }
}

TEST_F(DeviceVectors, SanitizeProductsOfLongRowsAgreeWithTheHost) {
  for (const auto& problem : {dense_row_problem(700), arrow_problem(500, true)}) {
    SCOPED_TRACE(problem.name);
    const BothSides sides(session(), problem);
    for (const Index columns : {1, 3}) {
      sides.check(columns, [](VectorBackend& v, const Product& b, VectorBlock& x, VectorBlock& y) {
        v.residual(b, x, y, y);
      });
    }
  }
}

TEST_F(DeviceVectors, ScalarsAgreeWithTheHostAndAreTheSameEveryTime) {
  const auto problem = bordered_problem(4000, 4);
  const BothSides sides(session(), problem);
  const auto size = static_cast<std::size_t>(sides.n());
  std::vector<double> dots, norms, errors;
  for (VectorBackend* backend : {sides.device.get(), sides.device.get(), sides.host.get()}) {
    const auto x = backend->make(sides.n(), 1);
    const auto y = backend->make(sides.n(), 1);
    backend->write(random_values(size, 1), *x);
    backend->write(random_values(size, 2), *y);
    dots.push_back(backend->dot(*x, *y));
    norms.push_back(backend->norm_inf(*x));
    errors.push_back(backend->backward_error(3.5, *x, *y, *x));
  }
  EXPECT_EQ(dots[0], dots[1]);
  EXPECT_NEAR(dots[0], dots[2], 1e-10);
  EXPECT_EQ(norms[0], norms[2]);
  EXPECT_EQ(errors[0], errors[1]);
  EXPECT_DOUBLE_EQ(errors[0], errors[2]);
}

TEST_F(DeviceVectors, SanitizeBackwardErrorTakesTheWorstColumnAndKnowsZeroAndNonFinite) {
  const auto vectors = make_device_vector_backend(session());
  const auto error = [&](std::vector<double> x, std::vector<double> b, std::vector<double> r) {
    const auto block = [&](const std::vector<double>& values) {
      auto result = vectors->make(2, static_cast<Index>(values.size() / 2));
      vectors->write(values, *result);
      return result;
    };
    return vectors->backward_error(2, *block(x), *block(b), *block(r));
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error({0, 0}, {0, 0}, {0, 0}), 0);
  EXPECT_EQ(error({1, -3}, {2, 0}, {0, -4}), 0.5);
  EXPECT_EQ(error({1, -3, 1, 1}, {2, 0, 1, 1}, {0, -4, 6, 0}), 2);
  EXPECT_EQ(error({1, 1, 1, 1}, {1, 1, 1, 1}, {0, std::nan(""), 0, 0}), infinity);
  EXPECT_EQ(error({1, infinity}, {1, 1}, {1, 1}), infinity);
  EXPECT_EQ(error({0, 0}, {0, 0}, {1, 0}), infinity);
}

TEST_F(DeviceVectors, BlocksStartAsZerosAndCountTransfersAndControlReads) {
  const auto vectors = make_device_vector_backend(session());
  const auto block = vectors->make(100, 3);
  EXPECT_EQ(vectors->norm_inf(*block), 0);
  const TransferCounters before = session().counters();
  vectors->write(std::vector<double>(300, 1.5), *block);
  EXPECT_EQ(vectors->norm_inf(*block), 1.5);
  std::vector<double> values(300);
  vectors->read(*block, values);
  EXPECT_EQ(values, std::vector<double>(300, 1.5));
  const TransferCounters after = session().counters();
  EXPECT_EQ(after.bytes_h2d - before.bytes_h2d, 2400u);
  EXPECT_EQ(after.bytes_d2h - before.bytes_d2h, 2400u);
  EXPECT_EQ(after.control_reads - before.control_reads, 1u);
}

TEST_F(DeviceVectors, SanitizeRowsTakeTheirLabelsAcrossCopies) {
  const auto vectors = make_device_vector_backend(session());
  for (const auto& [n, columns] : {std::pair<Index, Index>{0, 1}, {1, 1}, {5, 3}, {20001, 7}}) {
    std::vector<Index> labels(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) labels[static_cast<std::size_t>(i)] = n - 1 - i;
    const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(columns);
    const std::vector<double> from = random_values(size, 3);
    const auto block = vectors->make(n, columns);
    vectors->write(from, labels, *block);
    std::vector<double> turned(size), back(size);
    vectors->read(*block, turned);
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t row = k % labels.size();
      ASSERT_EQ(turned[k], from[k - row + static_cast<std::size_t>(labels[row])]) << "entry " << k;
    }
    vectors->read(*block, labels, back);
    EXPECT_EQ(back, from);
  }
}

TEST_F(DeviceVectors, BlocksOfTheHostAndOfOtherSizesAreRefused) {
  const auto vectors = make_device_vector_backend(session());
  const auto block = vectors->make(10, 1);
  const auto other = vectors->make(11, 1);
  HostVectorBlock host(10, 1);
  EXPECT_THROW(vectors->copy(host, *block), std::logic_error);
  EXPECT_THROW(vectors->copy(*other, *block), std::logic_error);
  EXPECT_THROW(vectors->dot(*other, *block), std::logic_error);
}

}  // namespace
}  // namespace lufact::gpu
