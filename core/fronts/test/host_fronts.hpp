// SPDX-License-Identifier: BSD-3-Clause
// The stages of the front family on the host, one after the other, for tests.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/columns/host_vectors.hpp"
#include "core/columns/test/stage_harness.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/pipeline/front_schedule.hpp"
#include "core/pipeline/transposed.hpp"

namespace lufact::test {

struct HostFrontVariant {
  Precision precision = Precision::float64;
  Pivoting pivoting = Pivoting::fixed_rows;

  std::string name() const {
    return std::string(to_string(precision)) + " " + std::string(to_string(pivoting));
  }
  double tolerance() const { return precision == Precision::float64 ? 1e-12 : 1e-4; }
};

inline constexpr std::array host_front_variants{
    HostFrontVariant{Precision::float32, Pivoting::fixed_rows},
    HostFrontVariant{Precision::float64, Pivoting::fixed_rows},
    HostFrontVariant{Precision::float32, Pivoting::diagonal_block},
    HostFrontVariant{Precision::float64, Pivoting::diagonal_block}};

struct Fronts {
  Harness harness;
  std::shared_ptr<PermutedMatrix> b;
  ProductPtr tree_product, schedule_product;
  std::shared_ptr<Factors> factors;

  Fronts(std::shared_ptr<PermutedMatrix> matrix, int threads, const HostFrontVariant& variant = {})
      : harness(threads, variant.precision), b(std::move(matrix)) {
    harness.options.pivoting = variant.pivoting;
    tree_product = make_cpu_fronts_symbolic()->run(b, harness.context);
    schedule_product = make_subtrees_levelize()->run(tree_product, harness.context);
  }
  Fronts& factor() {
    factors =
        make_cpu_multifrontal_numeric()->run(b, tree_product, schedule_product, harness.context);
    return *this;
  }
  const FrontTree& tree() const { return product_cast<FrontTree>(*tree_product); }
  const FrontSchedule& schedule() const { return product_cast<FrontSchedule>(*schedule_product); }
  const FrontFactors& front_factors() const { return dynamic_cast<const FrontFactors&>(*factors); }
  std::vector<double> solve(const std::vector<double>& rhs) const {
    HostVectorBlock x = block(rhs);
    factors->solve(x, "subtrees");
    return {x.data().begin(), x.data().end()};
  }
  std::vector<double> solve_transposed(const std::vector<double>& rhs) const {
    HostVectorBlock x = block(rhs);
    dynamic_cast<const TransposedFactors&>(*factors).solve_transposed(x, "subtrees");
    return {x.data().begin(), x.data().end()};
  }
  HostVectorBlock block(const std::vector<double>& values) const {
    HostVectorBlock x(tree().n, static_cast<Index>(values.size()) / std::max(tree().n, Index{1}));
    std::copy(values.begin(), values.end(), x.data().begin());
    return x;
  }
};

inline std::shared_ptr<PermutedMatrix> scaled_product(const CsrMatrix& a) {
  auto b = natural_product(a);
  give_scales(*b, 42);
  return b;
}

inline void expect_close(const std::vector<double>& actual, const std::vector<double>& expected,
                         double relative) {
  double scale = 0;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    ASSERT_NEAR(actual[k], expected[k], relative * scale) << "entry " << k;
  }
}

inline std::vector<double> random_vector(Index n, Index columns) {
  std::vector<double> x(at(Offset{n} * columns));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = symmetric_interval(hash64(9, k));
  return x;
}

// The same bits for 1, 2 and 3 threads, and in a refactorization.
inline void expect_same_bits(const CsrMatrix& matrix, const HostFrontVariant& variant) {
  const auto b = scaled_product(matrix);
  Fronts one(b, 1, variant);
  one.factor();
  const std::vector<double> values = one.front_factors().stored_values();
  const std::vector<double> rhs = random_vector(one.tree().n, 5), x = one.solve(rhs);
  const std::vector<double> turned = one.solve_transposed(rhs);
  const FactorFigures figures = one.factors->figures();
  for (const int threads : {2, 3}) {
    SCOPED_TRACE(threads);
    Fronts several(b, threads, variant);
    several.factor();
    for (int repeat = 0; repeat < 2; ++repeat) {
      ASSERT_EQ(several.front_factors().stored_values(), values);
      ASSERT_EQ(several.front_factors().row_sources(), one.front_factors().row_sources());
      EXPECT_EQ(several.factors->figures().exchanged_rows, figures.exchanged_rows);
      EXPECT_EQ(several.factors->figures().perturbed_pivots, figures.perturbed_pivots);
      EXPECT_EQ(several.factors->figures().growth, figures.growth);
      ASSERT_EQ(several.solve(rhs), x);
      ASSERT_EQ(several.solve_transposed(rhs), turned);
      several.factors->refactor(b, several.harness.context);
    }
  }
}

}  // namespace lufact::test
