// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/sha256.hpp"
#include "core/batch/result_hash.hpp"
#include "gpu/batch/copy_array.hpp"
#include "gpu/batch/test/batch_on_device.hpp"

namespace lufact::gpu {
namespace {
using testing::HasSubstr;

using DeviceBatchArraysTest = DeviceTest;

// Writes to the memory of the device between what the session does.
void overwrite(DeviceSession& session, void* place, int byte, std::size_t bytes) {
  LUFACT_CUDA(cudaMemsetAsync(place, byte, bytes, session.stream()));
}

template <class Real>
void expect_input(DeviceSession& session, DeviceBatchArrays& arrays, const BatchGroup& group) {
  const ArrayProblem& problem = arrays.problem();
  const DeviceReader<Real> a(session, problem, arrays.operands().a, problem.columns, problem.ld);
  for (Offset k = 0; k < problem.count; ++k) {
    for (Index j = 0; j < group.n; ++j) {
      for (Index i = 0; i < group.n; ++i) {
        const auto expected =
            static_cast<Real>(batch_entry(*group.kind, group.seed, group.n, k, i, j));
        ASSERT_TRUE(same_bits(a(k, i, j), expected))
            << "matrix " << k << " entry " << i << ", " << j << ": " << a(k, i, j) << " for "
            << expected;
      }
    }
  }
}

TEST_F(DeviceBatchArraysTest, SanitizeInputHasTheBitsOfTheHost) {
  for (const BatchKind kind : batch_kinds()) {
    SCOPED_TRACE(to_string(kind));
    for (const Index n : {1, 2, 5, 17}) {
      for_both_precisions([&](Precision precision, auto real) {
        const BatchGroup group = batch_group(kind, n, 2003);
        DeviceBatchArrays arrays(*session, group,
                                 batch_problem(ArrayOperation::lu, n, 2003, precision));
        arrays.restore();
        expect_input<decltype(real)>(*session, arrays, group);
      });
    }
  }
}

TEST_F(DeviceBatchArraysTest, SanitizeEveryLayoutHasEveryEntryInItsPlace) {
  for (const ArrayLayout layout : all_layouts) {
    SCOPED_TRACE(to_string(layout));
    for (const Index padding : {0, 3}) {
      for_both_precisions([&](Precision precision, auto real) {
        const BatchGroup group = batch_group(BatchKind::random, 6, 131);
        ArrayProblem problem = batch_problem(ArrayOperation::lu, 6, 131, precision);
        problem.layout = layout;
        problem.ld = 6 + padding;
        DeviceBatchArrays arrays(*session, group, problem, {.shift = 1});
        arrays.restore();
        expect_input<decltype(real)>(*session, arrays, group);
        EXPECT_EQ(arrays.damaged_guards(), 0);
      });
    }
  }
}

TEST_F(DeviceBatchArraysTest, PointersAreInNoOrder) {
  ArrayProblem problem = batch_problem(ArrayOperation::lu, 3, 1000);
  problem.layout = ArrayLayout::pointers;
  DeviceBatchArrays arrays(*session, batch_group(BatchKind::random, 3, 1000), problem);
  arrays.restore();
  session->synchronize();
  std::vector<double*> places(1000);
  LUFACT_CUDA(cudaMemcpy(places.data(), arrays.operands().a, places.size() * sizeof(double*),
                         cudaMemcpyDeviceToHost));
  EXPECT_FALSE(std::is_sorted(places.begin(), places.end()));
  std::sort(places.begin(), places.end());
  for (std::size_t k = 1; k < places.size(); ++k) ASSERT_EQ(places[k] - places[k - 1], 9);
}

TEST_F(DeviceBatchArraysTest, RestoreMakesTheInputAgainWithAndWithoutACopy) {
  for (const bool keep_copy : {true, false}) {
    const BatchGroup group = batch_group(BatchKind::random, 9, 500);
    ArrayProblem problem = batch_problem(ArrayOperation::solve, 9, 500);
    problem.ld = 11;
    DeviceBatchArrays arrays(*session, group, problem, {.keep_copy = keep_copy});
    for (int round = 0; round < 3; ++round) {
      arrays.restore();
      expect_input<double>(*session, arrays, group);
      const DeviceReader<double> b(*session, problem, arrays.operands().b, 2, 9);
      EXPECT_EQ(b(77, 4, 1), batch_rhs_entry(group.seed, 9, 77, 4, 1));
      EXPECT_GT(arrays.result(3).info, 9);  // no stage leaves that
      const ArrayOperands operands = arrays.operands();
      overwrite(*session, operands.a, 0, 500 * 9 * 11 * sizeof(double));
      overwrite(*session, operands.b, 0, 500 * 9 * 2 * sizeof(double));
      overwrite(*session, operands.info, 0, 500 * sizeof(std::int32_t));
    }
  }
}

TEST_F(DeviceBatchArraysTest, GivenMatricesRepeatWithOtherValues) {
  auto given = std::make_shared<GivenMatrices>();
  given->n = 3;
  given->count = 4;
  given->values.resize(4 * 9);
  std::iota(given->values.begin(), given->values.end(), 1.0);
  BatchGroup group;
  group.n = 3;
  group.count = 11;
  group.given = given;
  group.seed = 5;
  DeviceBatchArrays arrays(*session, group, batch_problem(ArrayOperation::lu, 3, 11));
  arrays.restore();
  const DeviceReader<double> a(*session, arrays.problem(), arrays.operands().a, 3, 3);
  for (Offset k = 0; k < 11; ++k) {
    const double factor = k < 4 ? 1.0 : batch_repeat_factor(5, 3, k, 2, 1);
    EXPECT_EQ(a(k, 2, 1), given->values[at(k % 4 * 9 + 5)] * factor) << k;
  }
}

TEST_F(DeviceBatchArraysTest, WritesBesideTheArraysAreSeen) {
  ArrayProblem problem = batch_problem(ArrayOperation::lu, 4, 10);
  problem.ld = 5;
  DeviceBatchArrays arrays(*session, batch_group(BatchKind::random, 4, 10), problem);
  const auto damage = [&](std::byte* place) {
    arrays.restore();
    overwrite(*session, place, 1, 1);
    const Offset damaged = arrays.damaged_guards();
    arrays.restore();
    return damaged == 1 && arrays.damaged_guards() == 0;
  };
  auto* const a = static_cast<std::byte*>(arrays.operands().a);
  auto* const info = reinterpret_cast<std::byte*>(arrays.operands().info);
  auto* const pivots = reinterpret_cast<std::byte*>(arrays.operands().pivots);
  EXPECT_TRUE(damage(a - 1));
  EXPECT_TRUE(damage(a + 10 * 4 * 5 * sizeof(double)));
  EXPECT_TRUE(damage(a + 4 * sizeof(double)));  // row 4 of column 0
  EXPECT_TRUE(damage(pivots + 10 * 4 * sizeof(std::int32_t)));
  EXPECT_TRUE(damage(info - 1));
  EXPECT_FALSE(damage(a));
}

TEST_F(DeviceBatchArraysTest, NoRoomNamesTheNeedAndWhatToDo) {
  session.reset();
  session.emplace(SessionOptions{.device = 0, .memory_limit = std::uint64_t{64} << 20});
  const Offset count = 100000;  // 82 MB
  try {
    DeviceBatchArrays(*session, batch_group(BatchKind::random, 10, count),
                      batch_problem(ArrayOperation::lu, 10, count));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_THAT(error.what(), HasSubstr("--data pinned"));
    EXPECT_THAT(error.what(), HasSubstr("MiB"));
  }
  EXPECT_EQ(session->ledger().in_use(), 0U);
}

// The last block of matrices under a digest is not full.
TEST_F(DeviceBatchArraysTest, HashesAreOfDigestsOfTheResultsOneByOne) {
  const BatchGroup group = batch_group(BatchKind::special, 3, 300);
  DeviceBatchArrays arrays(*session, group, batch_problem(ArrayOperation::lu, 3, 300));
  arrays.restore();
  std::string values, pivots;
  for (Offset first = 0; first < 300; first += block_matrices) {
    Sha256 of_values, of_pivots;
    for (Offset k = first; k < std::min<Offset>(300, first + block_matrices); ++k) {
      BatchResult result = arrays.result(k);
      for (double& value : result.values) {
        if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
      }
      of_values.update(std::span<const double>(result.values));
      of_pivots.update(std::span<const std::int32_t>(result.pivots));
    }
    values += of_values.finish();
    pivots += of_pivots.finish();
  }
  EXPECT_EQ(arrays.values_sha256(), sha256_of_text(values));
  EXPECT_EQ(arrays.pivots_sha256(), sha256_of_text(pivots));
}

TEST_F(DeviceBatchArraysTest, AProblemThatIsNotTheGroupsIsRefused) {
  EXPECT_THROW(DeviceBatchArrays(*session, batch_group(BatchKind::random, 3, 5),
                                 batch_problem(ArrayOperation::lu, 4, 5)),
               std::invalid_argument);
}

// More than 2^31 entries and 2^32 bytes: 8.6 GB.
TEST_F(DeviceBatchArraysTest, ArraysBeyondThirtyTwoBits) {
  const Index n = 32;
  const Offset count = (Offset{1} << 31) / (n * n) + 1000;
  if (session->ledger().available() < std::uint64_t{20} << 30) {
    GTEST_SKIP() << "needs 20 GiB of device memory";
  }
  const BatchGroup group = batch_group(BatchKind::random, n, count);
  for (const ArrayLayout layout : all_layouts) {
    SCOPED_TRACE(to_string(layout));
    ArrayProblem problem = batch_problem(ArrayOperation::lu, n, count, Precision::float32);
    problem.layout = layout;
    DeviceBatchArrays arrays(*session, group, problem, {.keep_copy = false});
    arrays.restore();
    const ArrayOptions options;
    std::vector<Choice> choices;
    std::vector<Warning> warnings;
    ArrayContext context{options, choices, warnings, &*session};
    make_copy_array()->prepare(problem, context)->run(arrays.operands(), count);
    EXPECT_EQ(arrays.damaged_guards(), 0);
    BatchResults input;
    input.source = {.n = n, .seed = group.seed, .kind = BatchKind::random};
    input.values = {arrays.operands().a, layout, Precision::float32, count, n, n};
    input.pivots = arrays.operands().pivots;
    input.info = arrays.operands().info;
    const std::vector<Offset> ends{0, count / 2, count - 1};
    const FetchedMatrices fetched = fetch_matrices(*session, input, ends);
    EXPECT_EQ(fetched.values, fetched.a);
    EXPECT_THAT(fetched.info, testing::Each(0));
    for (std::size_t one = 0; one < ends.size(); ++one) {
      const double expected = batch_entry(BatchKind::random, group.seed, n, ends[one], 31, 30);
      EXPECT_EQ(fetched.a[one * 1024 + 30 * 32 + 31], double{static_cast<float>(expected)});
      for (Index i = 0; i < n; ++i) EXPECT_EQ(fetched.pivots[one * 32 + at(i)], i + 1);
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
