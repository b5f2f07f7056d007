// SPDX-License-Identifier: BSD-3-Clause
// The components of the paper's kernels, on lanes of the host: the same source that the device
// runs. The oracle is a plain factorization with interchanges in the same arithmetic, so that
// results are compared bit by bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "gpu/batch/paper/inverse.hpp"
#include "gpu/batch/paper/shared_lu.hpp"
#include "gpu/batch/paper/test/host_lanes.hpp"

namespace lufact::gpu::paper {
namespace {

using testing_support::HostLanes;
using testing_support::HostSquare;
using testing_support::on_all_lanes;

template <class Real>
struct Factors {
  std::vector<Real> values;  // by columns
  std::vector<int> exchanged;
  int info = 0;
};

// LAPACK's getf2, the multipliers by division.
template <class Real>
Factors<Real> plain_lu(int n, std::vector<Real> a) {
  Factors<Real> factors{{}, std::vector<int>(static_cast<std::size_t>(n)), 0};
  const auto at = [&](int i, int j) -> Real& { return a[static_cast<std::size_t>(j * n + i)]; };
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::fabs(at(i, k)) > std::fabs(at(best, k))) best = i;
    }
    factors.exchanged[static_cast<std::size_t>(k)] = best;
    const bool zero = at(best, k) == 0;
    if (zero && factors.info == 0) factors.info = k + 1;
    for (int j = 0; j < n; ++j) std::swap(at(k, j), at(best, j));
    for (int i = k + 1; i < n; ++i) {
      if (!zero) at(i, k) /= at(k, k);
      for (int j = k + 1; j < n; ++j) at(i, j) = std::fma(-at(i, k), at(k, j), at(i, j));
    }
  }
  factors.values = std::move(a);
  return factors;
}

template <class Real, int n, class Lu>
Factors<Real> lu_in_registers(const std::vector<Real>& a, const Lu& lu) {
  Factors<Real> factors{std::vector<Real>(a.size()), std::vector<int>(n), 0};
  on_all_lanes<HostLanes<butterfly_width(n)>>([&](const auto& lanes) {
    const int lane = lanes.lane();
    Real row[n] = {};
    if (lane < n) {
      for (int j = 0; j < n; ++j) row[j] = a[static_cast<std::size_t>(j * n + lane)];
    }
    PivotNotes notes;
    const int position = lu(lanes, row, notes);
    if (lane >= n) return;
    for (int j = 0; j < n; ++j) {
      factors.values[static_cast<std::size_t>(j * n + position)] = row[j];
    }
    factors.exchanged[static_cast<std::size_t>(lane)] = notes.exchanged;
    if (lane == 0) factors.info = notes.info;
  });
  return factors;
}

template <class Real, int n>
Factors<Real> greedy(const std::vector<Real>& a) {
  return lu_in_registers<Real, n>(a, [](const auto& lanes, Real(&row)[n], PivotNotes& notes) {
    greedy_lu<n>(lanes, row, notes);
    return lanes.lane();
  });
}

template <class Real, int n>
Factors<Real> lazy(const std::vector<Real>& a) {
  return lu_in_registers<Real, n>(a, [](const auto& lanes, Real(&row)[n], PivotNotes& notes) {
    LazyRow<Real> own;
    lazy_lu<n>(lanes, row, own, notes);
    return own.position;
  });
}

template <class Real, int n>
Factors<Real> shared_by_rows(const std::vector<Real>& a) {
  Factors<Real> factors{a, std::vector<int>(n), 0};
  on_all_lanes<HostLanes<n>>([&](const auto& lanes) {
    PivotNotes notes;
    shared_lu_by_rows<n, n>(lanes, factors.values.data(), notes);
    factors.exchanged[static_cast<std::size_t>(lanes.lane())] = notes.exchanged;
    if (lanes.lane() == 0) factors.info = notes.info;
  });
  return factors;
}

template <class Real, int n>
Factors<Real> shared_by_entries(const std::vector<Real>& a) {
  Factors<Real> factors{a, std::vector<int>(n), 0};
  on_all_lanes<HostSquare<n>>([&](const auto& threads) {
    PivotNotes notes;
    shared_lu_by_entries<n, n>(threads, factors.values.data(), notes);
    if (threads.column() != 0) return;
    factors.exchanged[static_cast<std::size_t>(threads.row())] = notes.exchanged;
    if (threads.row() == 0) factors.info = notes.info;
  });
  return factors;
}

template <class Real>
struct Case {
  std::string name;
  std::vector<Real> values;
};

template <class Real>
std::vector<Real> filled(int n, const std::function<double(int, int)>& entry) {
  std::vector<Real> values;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) values.push_back(static_cast<Real>(entry(i, j)));
  }
  return values;
}

// Every kind of tie, of singular matrix and of pivot that is not normal.
template <class Real>
std::vector<Case<Real>> cases(int n) {
  std::uint64_t drawn = 0;
  const auto uniform = [&] {
    return unit_interval(hash64(static_cast<std::uint64_t>(n), drawn++));
  };
  const auto ties = [&](int, int) { return std::floor(uniform() * 3) - 1; };
  std::vector<Case<Real>> all{
      {"random", filled<Real>(n, [&](int, int) { return 2 * uniform() - 1; })},
      {"identity", filled<Real>(n, [](int i, int j) { return i == j ? 1 : 0; })},
      {"cycle", filled<Real>(n, [&](int i, int j) { return (i + 1) % n == j ? 1 : 0; })},
      {"reversed", filled<Real>(n, [&](int i, int j) { return i + j == n - 1 ? -2 : 0; })},
      {"zero", filled<Real>(n, [](int, int) { return 0; })},
      {"negative zero", filled<Real>(n, [](int, int) { return -0.0; })},
      {"rank one", filled<Real>(n, [](int i, int j) { return (i + 1) * (j % 2 == 0 ? 1 : -2); })},
      {"equal", filled<Real>(n, [](int, int) { return -3; })},
      {"subnormal", filled<Real>(n,
                                 [&](int, int) {
                                   return static_cast<double>(std::numeric_limits<Real>::min()) *
                                          (uniform() - 0.5);
                                 })},
      {"huge", filled<Real>(n, [&](int, int) {
         return static_cast<double>(std::numeric_limits<Real>::max()) *
                (uniform() < 0.5 ? 1 : -0.5) / 8;
       })}};
  for (int repeat = 0; repeat < 4; ++repeat) all.push_back({"ties", filled<Real>(n, ties)});
  for (int zero = 0; zero<n; zero += n> 8 ? 5 : 1) {
    all.push_back({"zero column",
                   filled<Real>(n, [&](int, int j) { return j == zero ? 0 : uniform() - 0.5; })});
  }
  return all;
}

template <class Real>
std::vector<std::uint64_t> bits(const std::vector<Real>& values) {
  std::vector<std::uint64_t> result;
  for (const Real value : values) {
    result.push_back(std::isnan(value) ? ~std::uint64_t{0}
                                       : magnitude(value) * 2 + std::signbit(value));
  }
  return result;
}

template <class Real>
void expect_equal(const Factors<Real>& found, const Factors<Real>& expected) {
  EXPECT_EQ(found.exchanged, expected.exchanged);
  EXPECT_EQ(found.info, expected.info);
  EXPECT_EQ(bits(found.values), bits(expected.values));
}

template <class Real_, int n_>
struct OfOrder {
  using Real = Real_;
  static constexpr int n = n_;
};

template <class Order>
class PaperComponents : public testing::Test {};
using Orders = testing::Types<OfOrder<double, 1>, OfOrder<double, 2>, OfOrder<double, 3>,
                              OfOrder<double, 5>, OfOrder<double, 8>, OfOrder<double, 9>,
                              OfOrder<float, 1>, OfOrder<float, 4>, OfOrder<float, 7>>;
TYPED_TEST_SUITE(PaperComponents, Orders);

TYPED_TEST(PaperComponents, LuInRegistersIsThatOfGetf2) {
  using Real = typename TypeParam::Real;
  constexpr int n = TypeParam::n;
  for (const auto& [name, values] : cases<Real>(n)) {
    SCOPED_TRACE(name);
    const Factors<Real> expected = plain_lu(n, values);
    expect_equal(greedy<Real, n>(values), expected);
    expect_equal(lazy<Real, n>(values), expected);
  }
}

TYPED_TEST(PaperComponents, LuInSharedMemoryIsThatOfGetf2) {
  using Real = typename TypeParam::Real;
  constexpr int n = TypeParam::n;
  for (const auto& [name, values] : cases<Real>(n)) {
    SCOPED_TRACE(name);
    const Factors<Real> expected = plain_lu(n, values);
    expect_equal(shared_by_rows<Real, n>(values), expected);
    if constexpr (n <= 5) expect_equal(shared_by_entries<Real, n>(values), expected);
  }
}

template <class Real>
struct Inverse {
  std::vector<Real> values;
  int info = 0;
};

template <class Real, int n>
void put_row(std::vector<Real>& values, int i, const Real* row) {
  for (int j = 0; j < n; ++j) values[static_cast<std::size_t>(j * n + i)] = row[j];
}

template <class Real, int n, int columns>
void get_row(const std::vector<Real>& values, int i, Real (&row)[columns]) {
  for (int j = 0; j < n; ++j) row[j] = i < n ? values[static_cast<std::size_t>(j * n + i)] : 0;
}

template <class Real, int n>
Inverse<Real> augmented(const std::vector<Real>& a) {
  Inverse<Real> inverse{std::vector<Real>(a.size()), 0};
  on_all_lanes<HostLanes<butterfly_width(n)>>([&](const auto& lanes) {
    Real row[2 * n];
    LazyRow<Real> own;
    PivotNotes notes;
    get_row<Real, n>(a, lanes.lane(), row);
    invert_augmented<n>(lanes, row, own, notes);
    if (lanes.lane() < n) put_row<Real, n>(inverse.values, own.position, row + n);
    if (lanes.lane() == 0) inverse.info = notes.info;
  });
  return inverse;
}

template <class Real, int n>
Inverse<Real> fused(const std::vector<Real>& a) {
  Inverse<Real> inverse{std::vector<Real>(a.size()), 0};
  InverseTile<Real, n> tile;
  on_all_lanes<HostLanes<butterfly_width(n)>>([&](const auto& lanes) {
    Real row[n];
    PivotNotes notes;
    get_row<Real, n>(a, lanes.lane(), row);
    invert_fused<n>(lanes, row, tile, notes);
    if (lanes.lane() < n) put_row<Real, n>(inverse.values, lanes.lane(), row);
    if (lanes.lane() == 0) inverse.info = notes.info;
  });
  return inverse;
}

// The four launches, one after the other.
template <class Real, int n>
Inverse<Real> by_four_steps(const std::vector<Real>& a) {
  const Factors<Real> factors = lazy<Real, n>(a);
  Inverse<Real> inverse{std::vector<Real>(a.size()), factors.info};
  InverseTile<Real, n> tile;
  on_all_lanes<HostLanes<butterfly_width(n)>>([&](const auto& lanes) {
    const int lane = lanes.lane();
    const int exchanged = lane < n ? factors.exchanged[static_cast<std::size_t>(lane)] : 0;
    const int own = interchanged_row<n>(lanes, lane, exchanged);
    Real values[n], rows[n];
    for (int j = 0; j < n; ++j) values[j] = lanes.from(own, j) == lane ? Real{1} : Real{0};
    rows_to_columns(lanes, values, tile);
    get_row<Real, n>(factors.values, lane, rows);
    put_factors(lanes, rows, tile);
    solve_lower<n, tile.ld>(tile.entries, values);
    solve_upper<n, tile.ld>(tile.entries, tile.reciprocals, values);
    lanes.sync();
    columns_to_rows(lanes, values, tile);
    if (lane < n) put_row<Real, n>(inverse.values, lane, values);
  });
  return inverse;
}

// Largest entry of A X - I.
template <class Real>
double residual(int n, const std::vector<Real>& a, const std::vector<Real>& x) {
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = i == j ? -1 : 0;
      for (int k = 0; k < n; ++k) {
        sum += static_cast<double>(a[static_cast<std::size_t>(k * n + i)]) *
               static_cast<double>(x[static_cast<std::size_t>(j * n + k)]);
      }
      largest = std::max(largest, std::fabs(sum));
    }
  }
  return largest;
}

TYPED_TEST(PaperComponents, TheThreeInversionsAgreeBitByBit) {
  using Real = typename TypeParam::Real;
  constexpr int n = TypeParam::n;
  for (const auto& [name, values] : cases<Real>(n)) {
    SCOPED_TRACE(name);
    const Inverse<Real> inverse = fused<Real, n>(values);
    EXPECT_EQ(inverse.info, plain_lu(n, values).info);
    const Inverse<Real> other = augmented<Real, n>(values);
    EXPECT_EQ(other.info, inverse.info);
    if (inverse.info != 0) continue;
    EXPECT_EQ(bits(inverse.values), bits(other.values));
    EXPECT_EQ(bits(inverse.values), bits(by_four_steps<Real, n>(values).values));
    if (name == "random") {
      EXPECT_LT(residual(n, values, inverse.values), 1e4 * std::numeric_limits<Real>::epsilon());
    }
    if (name == "cycle" || name == "reversed" || name == "identity") {
      EXPECT_EQ(residual(n, values, inverse.values), 0);
    }
  }
}

TEST(PaperPivots, AmongEqualOnesTheFirstInTheOrderOfTheInterchanges) {
  // Lane 0 holds the row that earlier steps have moved behind that of lane 3.
  const std::vector<int> positions{3, 2, 0, 1};
  on_all_lanes<HostLanes<4>>([&](const auto& lanes) {
    const int position = positions[static_cast<std::size_t>(lanes.lane())];
    const Pivot pivot = find_pivot(lanes, lanes.lane() == 1 ? 1.0 : -2.0, position, position >= 1);
    EXPECT_EQ(pivot.lane, 3);
    EXPECT_EQ(pivot.position, 1);
    EXPECT_FALSE(pivot.zero);
  });
}

TEST(PaperPivots, AllLanesAgreeOnTheLargestOfSpecialValues) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> entries{infinity, std::nan(""), -infinity, -std::nan("")};
  on_all_lanes<HostLanes<4>>([&](const auto& lanes) {
    const int lane = lanes.lane();
    EXPECT_EQ(find_pivot(lanes, entries[static_cast<std::size_t>(lane)], lane, true).lane, 1);
  });
  EXPECT_EQ(find_pivot_alone<4>(entries.data(), 0).lane, 1);
}

TEST(PaperArithmetic, ReciprocalsDivideTheSmallestAndTheLargest) {
  for (const double pivot : {5e-324, -3e-310, 2.5e-308, 1.0, -3.0, 1e300, 1.7e308}) {
    for (const double y : {0.0, pivot, -0.5 * pivot}) {
      EXPECT_DOUBLE_EQ(reciprocal_of(pivot).divide(y), y / pivot) << y << " / " << pivot;
    }
  }
  EXPECT_DOUBLE_EQ(reciprocal_of(1e-310).divide(1e-3), 1e-3 / 1e-310);
  EXPECT_FLOAT_EQ(reciprocal_of(1e-42F).divide(1e-6F), 1e-6F / 1e-42F);
  EXPECT_FLOAT_EQ(reciprocal_of(3e38F).divide(3e38F), 1.0F);
}

}  // namespace
}  // namespace lufact::gpu::paper
