// SPDX-License-Identifier: BSD-3-Clause
// The device's validator, its own code on 32 lanes of the host that take turns, against the host's:
// they must say the same of every matrix.
#include "gpu/batch/test/emulated_intrinsics.hpp"
//
#include "gpu/batch/test/solved_batch.hpp"
#include "gpu/batch/warp_validator.cuh"

namespace lufact::gpu {
namespace {

// Verdicts on matrices first, first + 1, ... of a batch.
template <class Real>
std::vector<PackedVerdict> emulated_verdicts(Solved<Real>& batch, bool backwards) {
  const BatchResults results{.operation = batch.problem.operation,
                             .source = {.n = batch.n,
                                        .seed = batch.group.seed,
                                        .kind = *batch.group.kind,
                                        .given = nullptr,
                                        .given_count = 0},
                             .values = {.base = batch.values.data(),
                                        .layout = ArrayLayout::contiguous,
                                        .precision = batch.problem.precision,
                                        .count = batch.count,
                                        .columns = batch.columns,
                                        .ld = batch.n},
                             .pivots = batch.pivots.data(),
                             .info = batch.info.data()};
  std::vector<PackedVerdict> verdicts(at(batch.count));
  std::vector<double> shared(at(2 * SharedMatrix::size(batch.n)));
  EmulatedWarp warp(0, 0, backwards);
  warp.run([&] {
    const int lane = EmulatedWarp::current().lane();
    for (Offset k = 0; k < batch.count; ++k) {
      WarpValidator<Real> validator(results, shared.data(), k, lane);
      const PackedVerdict verdict = validator.judge(true);
      if (lane == 0) verdicts[at(k)] = verdict;
    }
  });
  return verdicts;
}

void expect_same(const PackedVerdict& device, const MatrixVerdict& host) {
  EXPECT_EQ(device.nonfinite != 0, host.nonfinite);
  EXPECT_EQ(device.wrong_info != 0, host.wrong_info);
  EXPECT_EQ(device.wrong_not_nan != 0, host.wrong_not_nan);
  const int pivots = host.pivots ? static_cast<int>(*host.pivots) + 1 : 0;
  EXPECT_EQ(static_cast<int>(device.pivots), pivots);
  if (device.result_nonfinite != 0) {
    EXPECT_TRUE(std::isinf(host.error) || host.error == 0) << host.error;
  } else if (device.error != host.error) {
    EXPECT_NEAR(device.error, host.error, 0.25 * host.error + 2e-15);
  }
}

template <class Real>
void expect_agreement(Solved<Real>& batch) {
  const auto verdicts = emulated_verdicts(batch, batch.n % 2 == 0);
  for (Offset k = 0; k < batch.count; ++k) {
    SCOPED_TRACE(testing::Message() << "matrix " << k << ", info " << batch.info[at(k)]);
    expect_same(verdicts[at(k)], batch.verdict_on_host(k));
  }
}

// Puts the result of LU, or else its pivots and info, as they are with fused products and, where
// `divides_rows`, with the pivot's row divided.
template <class Real>
void round_otherwise(Solved<Real>& batch, Offset k, bool divides_rows) {
  const Index n = batch.n;
  std::vector<Real> a(at(n * n));
  const auto entry = [&](Index i, Index j) -> Real& { return a[at(j * n + i)]; };
  for (Index e = 0; e < n * n; ++e) {
    a[at(e)] =
        static_cast<Real>(batch_entry(*batch.group.kind, batch.group.seed, n, k, e % n, e / n));
  }
  std::int32_t info = 0;
  for (Index step = 0; step < n; ++step) {
    Index row = step;
    for (Index i = step + 1; i < n; ++i) {
      if (std::abs(entry(i, step)) > std::abs(entry(row, step))) row = i;
    }
    batch.pivots[at(k * n + step)] = row + 1;
    for (Index j = 0; j < n; ++j) std::swap(entry(step, j), entry(row, j));
    const Real pivot = entry(step, step);
    if (pivot == 0) {
      info = info == 0 ? step + 1 : info;
      continue;
    }
    for (Index i = step + 1; !divides_rows && i < n; ++i) entry(i, step) /= pivot;
    for (Index j = step + 1; j < n; ++j) {
      const Real u = divides_rows ? entry(step, j) / pivot : entry(step, j);
      for (Index i = step + 1; i < n; ++i) {
        entry(i, j) = std::fma(-entry(i, step), u, entry(i, j));
      }
    }
  }
  batch.info[at(k)] = info;
  if (batch.problem.operation == ArrayOperation::lu) {
    std::copy(a.begin(), a.end(), batch.values.begin() + k * n * n);
  }
}

// One of 8 things happens to matrix k, two of them nothing.
template <class Real>
void mutate(Solved<Real>& batch, Offset k) {
  const Index n = batch.n, some = static_cast<Index>(k / 8 % n);
  const Index column = static_cast<Index>((k / 3) % batch.columns);
  std::int32_t& pivot = batch.pivots[at(k * n + some)];
  switch (k % 8) {
    case 0:
      batch.value(k, some, column) *= Real{1.001F};
      break;
    case 1:
      pivot = some + 1 + static_cast<std::int32_t>(k / 2 % (n - some));
      break;
    case 2:
      pivot = k / 8 % 2 == 0 ? n + 1 : some;
      break;
    case 3:
      batch.info[at(k)] = some + 1;
      break;
    case 4:
      batch.info[at(k)] = k / 8 % 2 == 0 ? -1 : 0;
      break;
    case 5:
      batch.value(k, some, column) = std::numeric_limits<Real>::quiet_NaN();
      break;
    default:
      break;
  }
}

constexpr ArrayOperation operations[] = {ArrayOperation::lu, ArrayOperation::inverse,
                                         ArrayOperation::solve};

// Calls body(batch) for all kinds and operations in both precisions.
template <class Body>
void for_all_batches(Index n, Offset count, const Body& body) {
  for (const BatchKind kind : batch_kinds()) {
    for (const ArrayOperation operation : operations) {
      SCOPED_TRACE(testing::Message()
                   << to_string(kind) << " " << to_string(operation) << " of order " << n);
      for_both_precisions([&](Precision, auto real) {
        Solved<decltype(real)> batch(operation, kind, n, count);
        body(batch);
      });
    }
  }
}

TEST(WarpValidator, SaysTheSameOfRightResultsThatRoundEitherWay) {
  for (const Index n : {1, 2, 3, 4, 5, 8, 17, 33}) {
    for_all_batches(n, n > 8 ? 2 : 8, [](auto& batch) {
      const bool divides_rows = batch.problem.operation == ArrayOperation::inverse;
      for (Offset k = 0; k < batch.count; k += 2) round_otherwise(batch, k, divides_rows);
      expect_agreement(batch);
    });
  }
}

TEST(WarpValidator, SaysTheSameOfMutatedResults) {
  for (const Index n : {2, 4, 7, 34}) {
    for_all_batches(n, n > 8 ? 6 : 16, [](auto& batch) {
      for (Offset k = 0; k < batch.count; ++k) mutate(batch, k);
      expect_agreement(batch);
    });
  }
}

TEST(WarpValidator, RoundingOtherwiseIsNoFault) {
  for (const ArrayOperation operation : operations) {
    const bool lu = operation == ArrayOperation::lu;
    Solved<float> batch(operation, BatchKind::near_singular, 4, lu ? 1003 : 200);
    const bool divides_rows = operation == ArrayOperation::inverse;
    for (Offset k = 0; k < batch.count; ++k) round_otherwise(batch, k, divides_rows);
    for (const PackedVerdict& verdict : emulated_verdicts(batch, false)) {
      EXPECT_NE(verdict.pivots, static_cast<int>(ReplayedPivots::different));
      EXPECT_EQ(verdict.wrong_info, 0);
      if (lu) {
        EXPECT_LE(verdict.error, batch_threshold(operation, Precision::float32, 4));
      }
    }
    expect_agreement(batch);
  }
}

// Many of these are singular, after candidates that rounding made equal.
TEST(WarpValidator, SaysTheSameOfTies) {
  constexpr Index n = 7;
  for (const ArrayOperation operation : operations) {
    Solved<double> batch(operation, BatchKind::ties, n, 150);
    for (Offset k = 0; k < batch.count; k += 2) {
      round_otherwise(batch, k, operation == ArrayOperation::inverse);
    }
    expect_agreement(batch);
  }
}

}  // namespace
}  // namespace lufact::gpu
