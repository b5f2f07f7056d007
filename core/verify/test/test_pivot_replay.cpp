// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/batch/batch_entry.hpp"
#include "core/reference/dense_lu.hpp"
#include "core/verify/pivot_replay.hpp"

namespace lufact {
namespace {

using Pivots = std::vector<std::int32_t>;

PivotVerdict verdict_of(Index n, const std::vector<double>& a, const Pivots& pivots) {
  return replay_pivots(Precision::float64, n, a, pivots).verdict;
}

template <class Real>
std::vector<double> random_matrix(Index n, std::uint64_t seed) {
  std::vector<double> a(at(n * n));
  for (std::size_t p = 0; p < a.size(); ++p) {
    a[p] = double{static_cast<Real>(symmetric_interval(hash64(seed, p)))};
  }
  return a;
}

template <class Real>
Pivots twin_pivots(Index n, const std::vector<double>& a) {
  std::vector<Real> lu(a.begin(), a.end());
  Pivots pivots(at(n));
  reference::dense_lu(n, n, lu.data(), n, pivots.data());
  return pivots;
}

TEST(PivotReplay, HasTheTwinsPivots) {
  for (const Index n : {1, 2, 5, 16, 33, 64}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto a = random_matrix<float>(n, seed);
      EXPECT_EQ(verdict_of(n, a, twin_pivots<double>(n, a)), PivotVerdict::equal);
      EXPECT_EQ(replay_pivots(Precision::float32, n, a, twin_pivots<float>(n, a)).verdict,
                PivotVerdict::equal);
    }
  }
}

// One pivot of a random matrix replaced by another row, at every step and both precisions.
TEST(PivotReplay, AnotherPivotIsDifferent) {
  constexpr Index n = 32;
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const auto a = random_matrix<float>(n, seed);
      const bool single = precision == Precision::float32;
      const Pivots right = single ? twin_pivots<float>(n, a) : twin_pivots<double>(n, a);
      for (Index k = 0; k + 1 < n; ++k) {
        Pivots wrong = right;
        wrong[at(k)] = right[at(k)] == k + 1 ? k + 2 : k + 1;
        EXPECT_EQ(replay_pivots(precision, n, a, wrong).verdict, PivotVerdict::different) << k;
      }
    }
  }
}

TEST(PivotReplay, ARowOutOfRangeIsDifferent) {
  const std::vector<double> a{1, 2, 3, 4};
  EXPECT_EQ(verdict_of(2, a, {2, 2}), PivotVerdict::equal);
  for (const Pivots& wrong : {Pivots{2, 1}, {2, 3}, {0, 2}, {-7, 2}}) {
    EXPECT_EQ(verdict_of(2, a, wrong), PivotVerdict::different);
  }
}

TEST(PivotReplay, ExactTiesTakeTheFirstRow) {
  const std::vector<double> a{1, -1, 1, 1, 2, 1, 1, 1, 3};
  EXPECT_EQ(verdict_of(3, a, {1, 2, 3}), PivotVerdict::equal);
  EXPECT_EQ(verdict_of(3, a, {2, 2, 3}), PivotVerdict::different);
}

TEST(PivotReplay, ExactTiesOfALaterStepTakeTheFirstRow) {
  // After step 1: column 2 has 2 and -2 in rows 2 and 3.
  const std::vector<double> a{2, 1, 1, 2, 3, -1, 0, 1, 5};
  EXPECT_EQ(verdict_of(3, a, {1, 2, 3}), PivotVerdict::equal);
  EXPECT_EQ(verdict_of(3, a, {1, 3, 3}), PivotVerdict::different);
}

TEST(PivotReplay, CandidatesThatRoundingMadeEqualAreTied) {
  // After step 1 with the pivot 3, which rounds, rows 2 and 3 have the same candidate twice.
  const std::vector<double> a{3, 1, 1, 1, 5, 5, 0, 1, 2};
  EXPECT_EQ(verdict_of(3, a, {1, 2, 3}), PivotVerdict::equal);
  EXPECT_EQ(verdict_of(3, a, {1, 3, 3}), PivotVerdict::tied);
}

TEST(PivotReplay, ABadPivotBehindATieIsFound) {
  const std::vector<double> a{3, 1, 1, 2, 1, 5, 5, 1, 0, 1, 2, 7, 0, 1, 1, 1};
  EXPECT_EQ(verdict_of(4, a, {1, 2, 4, 4}), PivotVerdict::equal);
  EXPECT_EQ(verdict_of(4, a, {1, 3, 4, 4}), PivotVerdict::tied);
  EXPECT_EQ(verdict_of(4, a, {1, 3, 3, 4}), PivotVerdict::different);
}

TEST(PivotReplay, AZeroWithoutRoundingIsAZeroForAll) {
  const std::vector<double> a{2, 1, 1, 2, 1, 1, 1, 3, 5};  // columns 1 and 2 equal
  const PivotReplay replay = replay_pivots(Precision::float64, 3, a, {});
  EXPECT_TRUE(replay.allows(2));
  for (const std::int32_t info : {-1, 0, 1, 3, 4}) EXPECT_FALSE(replay.allows(info)) << info;
}

TEST(PivotReplay, AZeroOfRoundingMayBeNone) {
  // Columns 1 and 2 equal, with a pivot whose reciprocal rounds.
  const std::vector<double> a{3, 1, 2, 3, 1, 2, 1, 3, 7};
  const PivotReplay replay = replay_pivots(Precision::float64, 3, a, {});
  EXPECT_TRUE(replay.allows(2));
  EXPECT_TRUE(replay.allows(0));
  EXPECT_FALSE(replay.allows(1));
  EXPECT_FALSE(replay.allows(-1));
}

TEST(PivotReplay, ARegularMatrixAllowsNoInfo) {
  const PivotReplay replay = replay_pivots(Precision::float32, 16, random_matrix<float>(16, 1), {});
  EXPECT_TRUE(replay.allows(0));
  for (std::int32_t info = 1; info <= 16; ++info) EXPECT_FALSE(replay.allows(info)) << info;
}

// A correct elimination that rounds otherwise than the twin: fused products; the multipliers, or
// (Gauss and Jordan) the row of the pivot divided.
template <class Real>
std::pair<Pivots, std::int32_t> other_elimination(Index n, const std::vector<double>& values,
                                                  bool divides_row) {
  std::vector<Real> a(values.begin(), values.end());
  const auto entry = [&](Index i, Index j) -> Real& { return a[at(j * n + i)]; };
  Pivots pivots;
  std::int32_t info = 0;
  for (Index k = 0; k < n; ++k) {
    Index row = k;
    for (Index i = k + 1; i < n; ++i) {
      if (std::abs(entry(i, k)) > std::abs(entry(row, k))) row = i;
    }
    pivots.push_back(row + 1);
    for (Index j = 0; j < n; ++j) std::swap(entry(k, j), entry(row, j));
    const Real pivot = entry(k, k);
    if (pivot == 0) {
      info = info == 0 ? k + 1 : info;
      continue;
    }
    for (Index j = k + 1; j < n; ++j) {
      const Real u = divides_row ? entry(k, j) / pivot : entry(k, j);
      for (Index i = k + 1; i < n; ++i) {
        const Real l = divides_row ? entry(i, k) : entry(i, k) / pivot;
        entry(i, j) = std::fma(-l, u, entry(i, j));
      }
    }
  }
  return {pivots, info};
}

template <class Real>
void expect_no_fault(Precision precision, BatchKind kind, Index n, bool divides_row) {
  const auto divides = divides_row ? PivotDivides::either : PivotDivides::column;
  for (Offset k = 0; k < 600; ++k) {
    std::vector<double> a;
    for (Index p = 0; p < n * n; ++p) {
      a.push_back(double{static_cast<Real>(batch_entry(kind, 11, n, k, p % n, p / n))});
    }
    if (!std::ranges::all_of(a, [](double value) { return std::isfinite(value); })) continue;
    const auto [pivots, info] = other_elimination<Real>(n, a, divides_row);
    const PivotReplay replay = replay_pivots(precision, n, a, pivots, divides);
    EXPECT_NE(replay.verdict, PivotVerdict::different) << "matrix " << k;
    EXPECT_TRUE(replay.allows(info)) << "matrix " << k << " info " << info;
    EXPECT_TRUE(replay_pivots(precision, n, a, {}, divides).allows(info))
        << "matrix " << k << " info " << info << " where pivots are not known";
  }
}

// Blocked elimination with panels of four columns in which a row takes the panel's rows as they
// were before it, its multipliers having been folded with the inverse of the panel's triangle. Its
// pivots up to the first that is zero, then of no matter.
template <class Real>
Pivots folded_elimination(Index n, const std::vector<double>& values) {
  constexpr Index panel = 4;
  std::vector<Real> a(values.begin(), values.end());
  const auto entry = [&](Index i, Index j) -> Real& { return a[at(j * n + i)]; };
  Pivots pivots;
  for (Index first = 0; first < n; first += panel) {
    const Index end = std::min(first + panel, n);
    for (Index k = first; k < end; ++k) {
      Index row = k;
      for (Index i = k + 1; i < n; ++i) {
        if (std::abs(entry(i, k)) > std::abs(entry(row, k))) row = i;
      }
      pivots.push_back(row + 1);
      for (Index j = 0; j < n; ++j) std::swap(entry(k, j), entry(row, j));
      if (entry(k, k) == 0) return {};
      for (Index i = k + 1; i < n; ++i) {
        entry(i, k) /= entry(k, k);
        for (Index j = k + 1; j < end; ++j) {
          entry(i, j) = std::fma(-entry(i, k), entry(k, j), entry(i, j));
        }
      }
    }
    const std::vector<Real> before = a;
    for (Index i = first + 1; i < n; ++i) {
      std::vector<Real> folded;
      for (Index k = first; k < std::min(i, end); ++k) folded.push_back(entry(i, k));
      for (std::size_t s = folded.size(); s-- > 1;) {
        for (std::size_t t = 0; t < s; ++t) {
          const Real lower = entry(first + static_cast<Index>(s), first + static_cast<Index>(t));
          folded[t] = std::fma(-folded[s], lower, folded[t]);
        }
      }
      for (Index j = end; j < n; ++j) {
        for (std::size_t t = 0; t < folded.size(); ++t) {
          const Real row = before[at(j * n + first + static_cast<Index>(t))];
          entry(i, j) = std::fma(-folded[t], row, entry(i, j));
        }
      }
    }
  }
  return pivots;
}

TEST(PivotReplay, MultipliersFoldedWithATriangleAreNoFault) {
  for (const Index n : {6, 7, 8, 12, 16}) {
    Offset judged = 0;
    for (Offset k = 0; k < 1000; ++k) {
      std::vector<double> a;
      for (Index p = 0; p < n * n; ++p) {
        a.push_back(batch_entry(BatchKind::ties, 11, n, k, p % n, p / n));
      }
      const Pivots pivots = folded_elimination<double>(n, a);
      if (pivots.empty()) continue;
      ++judged;
      EXPECT_NE(verdict_of(n, a, pivots), PivotVerdict::different) << "order " << n << ", " << k;
    }
    EXPECT_GT(judged, 200);
  }
}

TEST(PivotReplay, RoundingOtherwiseIsNoFault) {
  for (const BatchKind kind : {BatchKind::random, BatchKind::graded, BatchKind::ties,
                               BatchKind::near_singular, BatchKind::singular, BatchKind::special}) {
    for (const Index n : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24}) {
      for (const bool divides_row : {false, true}) {
        SCOPED_TRACE(std::string(to_string(kind)) + " " + std::to_string(n));
        expect_no_fault<float>(Precision::float32, kind, n, divides_row);
        expect_no_fault<double>(Precision::float64, kind, n, divides_row);
      }
    }
  }
}

}  // namespace
}  // namespace lufact
