// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/dense/dense_entry.hpp"
#include "core/reference/tiled_lu.hpp"
#include "core/verify/validate_dense.hpp"

namespace lufact {
namespace {

using reference::DiagonalTiles;

struct Factored {
  double error_in_eps = 0;
  Index kept = 0;
  bool wrong_info = false;
};

template <class Real>
Factored factor(const std::string& input, Index n, std::uint64_t seed,
                DiagonalTiles diagonal = DiagonalTiles::judged, Real shift = 0) {
  const DenseGenerator generator{*parse_dense_kind(input), seed, n, n, {}};
  std::vector<Real> a;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) a.push_back(static_cast<Real>(dense_entry(generator, i, j)));
  }
  for (Index k = 0; k < n; ++k) a[at(Offset{k} * (n + 1))] += shift;
  std::vector<Real> lu = a;
  Factored result;
  result.kept = reference::tiled_lu(n, lu.data(), n, diagonal);
  std::int32_t info = 0;
  for (Index k = n; k > 0; --k) {
    if (lu[at(Offset{k - 1} * (n + 1))] == 0) info = k;
  }
  const DenseCheck check =
      validate_dense_lu(DenseView<Real>{a.data(), n, n, n}, DenseView<Real>{lu.data(), n, n, n}, {},
                        info, {.has_pivots = false, .threads = 1});
  result.error_in_eps = check.error / double{std::numeric_limits<Real>::epsilon()};
  result.wrong_info = check.wrong_info;
  return result;
}

template <class Real>
class TiledLu : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(TiledLu, Reals);

TYPED_TEST(TiledLu, DominantTilesAreInverted) {
  for (const Index n : {1, 17, 64, 65, 129, 200}) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      const Factored result = factor<TypeParam>("dominant", n, seed);
      EXPECT_EQ(result.kept, 0) << n;
      EXPECT_LE(result.error_in_eps, 1) << n;
    }
  }
}

TYPED_TEST(TiledLu, LargeInversesAreKeptAsFactors) {
  std::vector<std::string> inputs{"hilbert", "toeplitz", "growth"};
  if (sizeof(TypeParam) == 8) inputs.push_back("special:subnormal");
  for (const std::string& input : inputs) {
    for (const Index n : {17, 64, 65, 100}) {
      for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
        const Factored result = factor<TypeParam>(input, n, seed);
        if (n >= 64) {
          EXPECT_EQ(result.kept, (n + 63) / 64) << input << n;
        }
        EXPECT_LE(result.error_in_eps, 30) << input << n;
      }
    }
  }
}

// The error of a random matrix is that of its growth, which pivots would bound.
TYPED_TEST(TiledLu, RandomTilesLoseNoMoreThanBySubstitution) {
  for (const Index n : {17, 64, 65, 129, 200}) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      const double error = factor<TypeParam>("random", n, seed).error_in_eps;
      EXPECT_LE(error,
                30 + 4 * factor<TypeParam>("random", n, seed, DiagonalTiles::factored).error_in_eps)
          << n << " " << seed;
    }
  }
}

TYPED_TEST(TiledLu, ProductsWithLargeInversesWouldBeInaccurate) {
  const auto error = [](const char* input, DiagonalTiles diagonal) {
    return factor<TypeParam>(input, 129, 1, diagonal).error_in_eps;
  };
  EXPECT_GT(error("hilbert", DiagonalTiles::inverted), 30);
  for (const char* input : {"hilbert", "toeplitz"}) {
    EXPECT_GT(error(input, DiagonalTiles::inverted), 10 * error(input, DiagonalTiles::judged));
  }
}

// From those that are kept to those that are inverted.
TYPED_TEST(TiledLu, TilesOnBothSidesOfTheLimitAreAccurate) {
  Index kept = 0, tiles = 0;
  for (TypeParam shift = 2; shift < 64; shift *= TypeParam(1.25)) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      const Factored result = factor<TypeParam>("random", 200, seed, DiagonalTiles::judged, shift);
      const Factored plain = factor<TypeParam>("random", 200, seed, DiagonalTiles::factored, shift);
      EXPECT_LE(result.error_in_eps, 30 + 4 * plain.error_in_eps) << shift << " " << seed;
      kept += result.kept;
      tiles += 4;
    }
  }
  EXPECT_GT(kept, tiles / 8);
  EXPECT_LT(kept, tiles * 7 / 8);
}

TYPED_TEST(TiledLu, AZeroPivotIsThatOfU) {
  for (const int column : {1, 2, 9, 64, 65, 100, 150}) {
    const std::string input = "zero-minor:" + std::to_string(column);
    EXPECT_FALSE(factor<TypeParam>(input, 150, 1).wrong_info) << column;
    EXPECT_EQ(factor<TypeParam>(input, 150, 1).kept, 1) << column;
  }
}

}  // namespace
}  // namespace lufact
