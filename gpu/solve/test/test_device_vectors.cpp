// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "core/pipeline/queued_work.hpp"
#include "core/pipeline/transposed.hpp"
#include "gpu/solve/test/both_sides.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

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
      sides.check(columns, [](Backend& v, const Product& b, Block& x, Block& y) {
        find_part<TransposedVectors>(&v)->multiply_transposed(b, x, y);
      });
      sides.check(columns, [](Backend& v, const Product& b, Block& x, Block& y) {
        const auto r = v.make(x.rows(), x.columns());
        find_part<TransposedVectors>(&v)->residual_transposed(b, 1, x, y, *r);
        v.copy(*r, y);
      });
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
