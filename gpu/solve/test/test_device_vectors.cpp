// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
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
  // On the device, of columns one after another.
  std::unique_ptr<VectorBlock> block(const std::vector<double>& values) const {
    auto result =
        device->make(n(), static_cast<Index>(values.size() / static_cast<std::size_t>(n())));
    device->write(values, *result);
    return result;
  }

  std::shared_ptr<DevicePermutedMatrix> device_matrix;
  std::unique_ptr<VectorBackend> device, host;
};

double largest(const std::vector<double>& values, std::size_t first, std::size_t count) {
  double result = 0;
  for (std::size_t k = first; k < first + count; ++k)
    result = std::max(result, std::abs(values[k]));
  return result;
}

// y -= B x.
void make_residual(VectorBackend& vectors, const Product& matrix, VectorBlock& x, VectorBlock& y) {
  const auto r = vectors.make(x.rows(), x.columns());
  vectors.residual(matrix, 1, x, y, *r);
  vectors.copy(*r, y);
}

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
      sides.check(columns, make_residual);
    }
  }
}

TEST_F(DeviceVectors, SanitizeProductsOfLongRowsAgreeWithTheHost) {
  for (const auto& problem :
       {dense_row_problem(700), dense_row_problem(1500), arrow_problem(500, true)}) {
    SCOPED_TRACE(problem.name);
    const BothSides sides(session(), problem);
    for (const Index columns : {1, 3}) {
      sides.check(columns, make_residual);
    }
  }
}

TEST_F(DeviceVectors, ScalarsAgreeWithTheHostAndAreTheSameEveryTime) {
  const auto problem = bordered_problem(4000, 4);
  const BothSides sides(session(), problem);
  const auto size = static_cast<std::size_t>(sides.n());
  std::vector<double> dots;
  for (VectorBackend* backend : {sides.device.get(), sides.device.get(), sides.host.get()}) {
    const auto x = backend->make(sides.n(), 1);
    const auto y = backend->make(sides.n(), 1);
    backend->write(random_values(size, 1), *x);
    backend->write(random_values(size, 2), *y);
    dots.push_back(backend->dot(*x, *y));
  }
  EXPECT_EQ(dots[0], dots[1]);
  EXPECT_NEAR(dots[0], dots[2], 1e-10);
}

// The error that its definition gives with the residual of the device.
TEST_F(DeviceVectors, SanitizeTheBackwardErrorIsThatOfTheResidualInEveryCall) {
  for (const auto& problem : {random_problem(200), dense_row_problem(1500),
                              arrow_problem(500, true), dense_problem(70)}) {
    const BothSides sides(session(), problem);
    const auto n = static_cast<std::size_t>(sides.n());
    for (const Index columns : {1, 3, 64, 65, 130}) {
      SCOPED_TRACE(problem.name + ", columns: " + std::to_string(columns));
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
      }
    }
  }
}

// Blocks take several parts of the rows each.
TEST_F(DeviceVectors, ResidualsOfManyRowsAgreeWithTheHost) {
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
TEST_F(DeviceVectors, SanitizeBackwardErrorTakesTheWorstColumnAndKnowsZeroAndNonFinite) {
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

TEST_F(DeviceVectors, SanitizeResidualsOfNothingAreZero) {
  const auto problem = make_problem("empty", 0, {});
  const auto matrix = upload(session(), problem.matrix);
  const auto vectors = make_device_vector_backend(session());
  for (const Index columns : {0, 1, 70}) {
    const auto x = vectors->make(0, columns), r = vectors->make(0, columns);
    EXPECT_EQ(vectors->residual(*matrix, 1, *x, *x, *r), 0);
  }
}

TEST_F(DeviceVectors, TransfersAndControlReadsAreCounted) {
  const auto problem = chain_problem(100);
  const BothSides sides(session(), problem);
  const auto r = sides.device->make(100, 3);
  const TransferCounters before = session().counters();
  const auto block = sides.block(std::vector<double>(300, 1.5));
  sides.device->residual(*sides.device_matrix, 1, *block, *block, *r);
  std::vector<double> values(300);
  sides.device->read(*block, values);
  EXPECT_EQ(values, std::vector<double>(300, 1.5));
  const TransferCounters after = session().counters();
  EXPECT_EQ(after.bytes_h2d - before.bytes_h2d, 2400u);
  EXPECT_EQ(after.bytes_d2h - before.bytes_d2h, 2400u);
  EXPECT_EQ(after.control_reads - before.control_reads, 1u);
}

TEST_F(DeviceVectors, SanitizeBlocksAreSetToZero) {
  const auto vectors = make_device_vector_backend(session());
  for (const auto& [n, columns] : {std::pair<Index, Index>{0, 1}, {100, 3}}) {
    const auto block = vectors->make(n, columns);
    std::vector<double> values(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns), 2);
    vectors->write(values, *block);
    vectors->set_to_zero(*block);
    vectors->read(*block, values);
    EXPECT_EQ(values, std::vector<double>(values.size(), 0.0));
  }
}

// A permutation of n labels that is not its own inverse.
std::vector<Index> turned_labels(Index n) {
  std::vector<Index> labels(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) labels[static_cast<std::size_t>(i)] = (n + 2 - i) % n;
  std::ranges::rotate(labels, labels.begin() + n / 3);
  return labels;
}

// Writes and reads a block under labels and without, on pageable or page-locked memory.
void check_labels(DeviceSession& session, Index n, Index columns, const PageLockedMemory& memory) {
  const auto vectors = make_device_vector_backend(session);
  const std::vector<Index> labels = turned_labels(n);
  const auto kept = vectors->keep_labels(labels);
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(columns);
  const std::vector<double> from = random_values(size, 3);
  HostArray given(size, memory), turned(size, memory), back(size, memory);
  ASSERT_EQ(given.page_locked(), memory && size > 0);
  std::ranges::copy(from, given.entries().begin());
  const auto block = vectors->make(n, columns);
  const TransferCounters before = session.counters();
  vectors->write(given.const_span(), kept.get(), *block);
  vectors->read(*block, turned.span());
  vectors->read(*block, kept.get(), back.span());
  session.synchronize();
  const TransferCounters after = session.counters();
  EXPECT_EQ(after.bytes_h2d - before.bytes_h2d, size * sizeof(double));
  EXPECT_EQ(after.bytes_d2h - before.bytes_d2h, 2 * size * sizeof(double));
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t row = k % labels.size();
    ASSERT_EQ(turned.entries()[k], from[k - row + static_cast<std::size_t>(labels[row])])
        << "entry " << k;
  }
  EXPECT_TRUE(std::ranges::equal(back.entries(), from));
}

TEST_F(DeviceVectors, SanitizeRowsTakeTheirLabelsAcrossCopies) {
  for (const PageLockedMemory& memory :
       {PageLockedMemory{},
        PageLockedMemory{[](std::size_t bytes) { return page_locked_memory(0, bytes); }}}) {
    for (const auto& [n, columns] :
         {std::pair<Index, Index>{0, 1}, {1, 1}, {5, 3}, {256, 2}, {257, 64}, {20001, 7}}) {
      SCOPED_TRACE(std::to_string(n) + " rows" + (memory ? ", page-locked" : ""));
      const std::uint64_t held = session().ledger().in_use();
      check_labels(session(), n, columns, memory);
      EXPECT_EQ(session().ledger().in_use(), held);
    }
  }
}

TEST_F(DeviceVectors, LabelsOfOtherBlocksAreRefused) {
  const auto vectors = make_device_vector_backend(session());
  const std::vector<Index> labels = turned_labels(11);
  const auto kept = vectors->keep_labels(labels);
  const auto block = vectors->make(10, 1);
  std::vector<double> values(10);
  EXPECT_THROW(vectors->write(values, kept.get(), *block), std::logic_error);
  EXPECT_THROW(vectors->read(*block, kept.get(), values), std::logic_error);
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
