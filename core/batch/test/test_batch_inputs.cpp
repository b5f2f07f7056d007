// SPDX-License-Identifier: BSD-3-Clause
// Names of inputs, and inputs with a structure of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/batch/batch_inputs.hpp"
#include "core/batch/condition_counts.hpp"
#include "core/batch/diagonal_blocks.hpp"
#include "core/batch/kinetics_matrices.hpp"
#include "core/batch/shape_functions.hpp"
#include "core/batch/test/small_lu.hpp"

namespace lufact {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace test;

std::vector<double> matrix_of(const GivenMatrices& given, Offset k) {
  const auto begin = given.values.begin() + k * given.n * given.n;
  return {begin, begin + Offset{given.n} * given.n};
}

template <class Action>
void expect_usage_error(const Action& action, const std::string& part) {
  try {
    action();
    FAIL() << "accepted; expected: " << part;
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

TEST(BatchInputName, IsReadAsItIsListed) {
  EXPECT_EQ(parse_batch_input("graded").kind, BatchKind::graded);
  EXPECT_EQ(parse_batch_input("near-singular").source, BatchSource::kind);
  EXPECT_EQ(parse_batch_input("kinetics").source, BatchSource::kinetics);
  EXPECT_EQ(parse_batch_input("elements:hex8-heat").element, ElementShape::hex8_heat);
  EXPECT_EQ(parse_batch_input("blocks:a:b.mtx").path, "a:b.mtx");
  EXPECT_EQ(parse_batch_input("fronts:x.mtx.gz").source, BatchSource::fronts);
  EXPECT_EQ(parse_batch_input("dir/x.npy").source, BatchSource::file);
  EXPECT_EQ(accepted_batch_inputs().size(), 7U + 1 + 4 + 3);
  for (const std::string& name : accepted_batch_inputs()) EXPECT_NO_THROW(parse_batch_input(name));
  for (const char* wrong : {"", "elements:", "elements:tet5", "blocks:", "x.mtx", "Random"}) {
    expect_usage_error([&] { parse_batch_input(wrong); },
                       "elements:tet10-elastic, blocks:FILE.mtx");
  }
}

TEST(BatchRequest, HasASizeThatTheInputCanHave) {
  const auto check = [](const char* input, std::optional<Index> size, Offset count = 10,
                        bool floating = false) {
    check_batch_request({.input = input, .size = size, .count = count, .floating = floating});
  };
  EXPECT_NO_THROW(check("random", 64));
  EXPECT_NO_THROW(check("kinetics", 32));
  EXPECT_NO_THROW(check("elements:tet10-elastic", std::nullopt, 10, true));
  EXPECT_NO_THROW(check("elements:tet10-elastic", 30));
  EXPECT_NO_THROW(check("blocks:x.mtx", std::nullopt));
  expect_usage_error([&] { check("random", 0); }, "1 to 64");
  expect_usage_error([&] { check("random", 65); }, "1 to 64");
  expect_usage_error([&] { check("random", std::nullopt); }, "--size auto");
  expect_usage_error([&] { check("kinetics", 33); }, "2 to 32");
  expect_usage_error([&] { check("kinetics", 1); }, "2 to 32");
  expect_usage_error([&] { check("elements:hex8-heat", 12); }, "8 to 8");
  expect_usage_error([&] { check("random", 4, 0); }, "--count 0");
  expect_usage_error([&] { check("random", 4, 10, true); }, "--floating");
}

TEST(BatchRequest, FactsTellInputsApart) {
  const GeneratorFacts facts = batch_generator_facts(
      {.input = "elements:hex8-heat", .size = {}, .count = 7, .seed = 3, .floating = true});
  EXPECT_EQ(facts.kind, "elements:hex8-heat");
  EXPECT_EQ(facts.seed, 3U);
  EXPECT_THAT(facts.sizes, ElementsAre(testing::Pair("n", 8), testing::Pair("count", 7),
                                       testing::Pair("floating", 1)));
}

TEST(StandAloneGroups, OfAKindAndOfMatricesThatRepeat) {
  const auto random = stand_alone_groups({.input = "ties", .size = 5, .count = 99, .seed = 4});
  ASSERT_EQ(random.size(), 1U);
  EXPECT_EQ(random[0].kind, BatchKind::ties);
  EXPECT_EQ(random[0].count, 99);
  EXPECT_EQ(random[0].seed, 4U);
  const auto networks = stand_alone_groups({.input = "kinetics", .size = 2, .count = 20000});
  ASSERT_EQ(networks.size(), 1U);
  EXPECT_EQ(networks[0].count, 20000);
  EXPECT_FALSE(networks[0].kind);
  EXPECT_EQ(networks[0].given->count, 16384);
}

TEST(RepeatingAll, EveryOrderGetsItsShare) {
  const auto given = [](Index n, Offset count) {
    return GivenMatrices{.n = n, .count = count, .values = std::vector<double>(at(count * n * n))};
  };
  for (const Offset count :
       {Offset{1}, Offset{5}, Offset{10}, Offset{1003}, Offset{9'000'000'001}}) {
    const auto groups = repeating_all({given(2, 3), given(4, 6), given(7, 1)}, count, 1);
    Offset sum = 0;
    for (const BatchGroup& group : groups) {
      sum += group.count;
      EXPECT_NEAR(static_cast<double>(group.count) / static_cast<double>(group.given->count),
                  static_cast<double>(count) / 10, 1);
    }
    EXPECT_EQ(sum, count);
    EXPECT_EQ(groups.size(), count >= 10 ? 3U : groups.size());
  }
}

TEST(Kinetics, MatricesAreRegularStiffAndMostlyZero) {
  for (const Index n : {2, 9, 32}) {
    const GivenMatrices given = kinetics_matrices(n, 60, 5);
    double largest = 0;
    for (Offset k = 0; k < given.count; ++k) {
      std::vector<double> a = matrix_of(given, k);
      for (Index i = 0; i < n; ++i) {
        const double diagonal = a[at(i + Offset{i} * n)];
        largest = std::max(largest, std::abs(diagonal));
      }
      ASSERT_TRUE(std::ranges::all_of(a, [](double x) { return std::isfinite(x); }));
      EXPECT_EQ(eliminate(a, n).info, 0) << n << " " << k;
    }
    EXPECT_GT(largest, 1e3);
  }
  const GivenMatrices given = kinetics_matrices(32, 60, 5);
  EXPECT_GT(std::ranges::count(given.values, 0.0), 60 * 32 * 32 * 3 / 4);
}

// Reactions keep the number of molecules, so that columns of I - hJ add up to 1, exactly: all
// numbers are short.
TEST(Kinetics, ColumnsAddUpToOne) {
  const GivenMatrices given = kinetics_matrices(12, 40, 6);
  for (Offset k = 0; k < given.count; ++k) {
    const std::vector<double> a = matrix_of(given, k);
    for (Index j = 0; j < 12; ++j) {
      double sum = 0, size = 0;
      for (Index i = 0; i < 12; ++i) {
        sum += a[at(i + Offset{j} * 12)];
        size += std::abs(a[at(i + Offset{j} * 12)]);
      }
      EXPECT_NEAR(sum, 1, 1e-15 * size);
    }
  }
}

TEST(Kinetics, DependOnSeedAndPlaceAlone) {
  const GivenMatrices many = kinetics_matrices(6, 10, 1), few = kinetics_matrices(6, 4, 1);
  EXPECT_TRUE(std::equal(few.values.begin(), few.values.end(), many.values.begin()));
  EXPECT_NE(matrix_of(many, 0), matrix_of(many, 1));
  EXPECT_NE(many.values, kinetics_matrices(6, 10, 2).values);
}

// Of A with complete pivoting: pivots that are more than rounding.
Index rank_of(std::vector<double> a, Index n) {
  double scale = 0;
  for (const double x : a) scale = std::max(scale, std::abs(x));
  for (Index k = 0; k < n; ++k) {
    Index row = k, column = k;
    for (Index j = k; j < n; ++j) {
      for (Index i = k; i < n; ++i) {
        if (std::abs(a[at(i + Offset{j} * n)]) > std::abs(a[at(row + Offset{column} * n)])) {
          row = i;
          column = j;
        }
      }
    }
    if (std::abs(a[at(row + Offset{column} * n)]) < 1e-12 * scale) return k;
    for (Index j = 0; j < n; ++j) std::swap(a[at(k + Offset{j} * n)], a[at(row + Offset{j} * n)]);
    for (Index i = 0; i < n; ++i)
      std::swap(a[at(i + Offset{k} * n)], a[at(i + Offset{column} * n)]);
    for (Index i = k + 1; i < n; ++i) {
      const double factor = a[at(i + Offset{k} * n)] / a[at(k + Offset{k} * n)];
      for (Index j = k; j < n; ++j) a[at(i + Offset{j} * n)] -= factor * a[at(k + Offset{j} * n)];
    }
  }
  return n;
}

bool positive_definite(std::vector<double> a, Index n) {
  for (Index k = 0; k < n; ++k) {
    if (!(a[at(k + Offset{k} * n)] > 0)) return false;
    for (Index i = k + 1; i < n; ++i) {
      const double factor = a[at(i + Offset{k} * n)] / a[at(k + Offset{k} * n)];
      for (Index j = k; j < n; ++j) a[at(i + Offset{j} * n)] -= factor * a[at(k + Offset{j} * n)];
    }
  }
  return true;
}

TEST(Elements, FloatingOnesLackTheirRigidMotionsAndNothingElse) {
  for (const ElementShape shape : element_shapes()) {
    SCOPED_TRACE(to_string(shape));
    const Index n = order_of(shape);
    const GivenMatrices given = element_matrices(shape, true, 50, 3);
    for (Offset k = 0; k < given.count; ++k) {
      ASSERT_EQ(rank_of(matrix_of(given, k), n), n - deficiency_of(shape)) << k;
    }
  }
}

TEST(Elements, OthersAreSymmetricAndPositiveDefinite) {
  for (const ElementShape shape : element_shapes()) {
    SCOPED_TRACE(to_string(shape));
    const Index n = order_of(shape);
    const GivenMatrices given = element_matrices(shape, false, 50, 3);
    for (Offset k = 0; k < given.count; ++k) {
      const std::vector<double> a = matrix_of(given, k);
      ASSERT_TRUE(positive_definite(a, n)) << k;
      const double scale = norm1(a, n);
      for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < j; ++i) {
          ASSERT_NEAR(a[at(i + Offset{j} * n)], a[at(j + Offset{i} * n)], 1e-14 * scale);
        }
      }
    }
    EXPECT_NE(matrix_of(given, 0), matrix_of(given, 1));
  }
}

// All nodes moved alike: no force.
TEST(Elements, TranslationsNeedNoForce) {
  for (const ElementShape shape : element_shapes()) {
    const Index n = order_of(shape), unknowns = shape == ElementShape::hex8_heat ? 1 : 3;
    const std::vector<double> a = matrix_of(element_matrices(shape, true, 1, 9), 0);
    for (Index i = 0; i < n; ++i) {
      for (Index d = 0; d < unknowns; ++d) {
        double force = 0;
        for (Index j = d; j < n; j += unknowns) force += a[at(i + Offset{j} * n)];
        EXPECT_NEAR(force, 0, 1e-12 * norm1(a, n)) << to_string(shape);
      }
    }
  }
}

TEST(ShapeFunctions, AreOneAtTheirNodeAndAddUpToOne) {
  for (const ElementFamily* family : {&tet4_family(), &hex8_family(), &tet10_family()}) {
    const auto nodes = static_cast<std::size_t>(family->nodes);
    Nodes middles = family->reference;
    for (std::size_t a = static_cast<std::size_t>(family->corners); a < nodes; ++a) {
      const auto [one, other] = family->middle_of[a - static_cast<std::size_t>(family->corners)];
      for (std::size_t d = 0; d < 3; ++d) {
        middles[a][d] = (middles[static_cast<std::size_t>(one)][d] +
                         middles[static_cast<std::size_t>(other)][d]) /
                        2;
      }
    }
    for (std::size_t a = 0; a < nodes; ++a) {
      const ShapeValues shape = family->shape(middles[a]);
      double sum = 0;
      for (std::size_t b = 0; b < nodes; ++b) {
        EXPECT_NEAR(shape.value[b], a == b ? 1 : 0, 1e-15);
        sum += shape.gradient[b][0] + shape.gradient[b][1] + shape.gradient[b][2];
      }
      EXPECT_NEAR(sum, 0, 1e-14);
    }
  }
}

// The volume, and the gradient of a linear field, of an element that is stretched and sheared.
TEST(ShapeFunctions, GradientsOfALinearFieldAreExact) {
  for (const ElementFamily* family : {&tet4_family(), &hex8_family()}) {
    Nodes nodes = family->reference;
    for (Vector3& x : nodes) x = {2 * x[0] + x[1], 3 * x[1] - x[2], 0.5 * x[2]};
    double volume = 0;
    for (const QuadraturePoint& quadrature : family->points) {
      const PhysicalPoint point = physical_point(*family, nodes, quadrature);
      volume += point.weight;
      Vector3 gradient{};
      for (std::size_t a = 0; a < static_cast<std::size_t>(family->nodes); ++a) {
        const double field = 5 * nodes[a][0] - 7 * nodes[a][1] + 11 * nodes[a][2];
        for (std::size_t d = 0; d < 3; ++d) gradient[d] += field * point.gradient[a][d];
      }
      EXPECT_NEAR(gradient[0], 5, 1e-12);
      EXPECT_NEAR(gradient[1], -7, 1e-12);
      EXPECT_NEAR(gradient[2], 11, 1e-12);
    }
    EXPECT_NEAR(volume, 3 * (family->nodes == 8 ? 8.0 : 1.0 / 6), 1e-12);
  }
}

PermutedMatrix permuted(Index n, const std::vector<std::array<Index, 2>>& places) {
  PermutedMatrix matrix;
  matrix.pattern.n_rows = matrix.pattern.n_cols = n;
  matrix.pattern.row_ptr = {0};
  double value = 1;
  for (Index i = 0; i < n; ++i) {
    for (const auto& [row, column] : places) {
      if (row != i) continue;
      matrix.pattern.col_idx.push_back(column);
      matrix.values.push_back(value++);
    }
    matrix.pattern.row_ptr.push_back(static_cast<Offset>(matrix.pattern.col_idx.size()));
    matrix.row_scale.push_back(std::ldexp(1.0, i));
    matrix.col_scale.push_back(1);
  }
  return matrix;
}

TEST(DiagonalBlocks, AreScaledAndLeaveOutWhatIsBetween) {
  const PermutedMatrix matrix =
      permuted(5, {{0, 0}, {0, 1}, {0, 4}, {1, 1}, {2, 2}, {2, 3}, {3, 0}, {3, 2}, {4, 4}});
  EXPECT_THAT(uniform_blocks(5, 2), ElementsAre(0, 2, 4));
  EXPECT_THAT(uniform_blocks(5, 6), ElementsAre(0));
  const auto pairs = diagonal_blocks(matrix, uniform_blocks(5, 2));
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].count, 2);
  EXPECT_THAT(pairs[0].values, ElementsAre(1, 0, 2, 8, 20, 64, 24, 0));
  const auto mixed = diagonal_blocks(matrix, std::vector<Index>{0, 1, 4, 5});
  ASSERT_EQ(mixed.size(), 2U);
  EXPECT_EQ(mixed[0].n, 1);
  EXPECT_THAT(mixed[0].values, ElementsAre(1, 16 * 9));
  EXPECT_EQ(mixed[1].n, 3);
  EXPECT_TRUE(diagonal_blocks(matrix, uniform_blocks(5, 6)).empty());
}

// Rows with the same columns in runs of 3, 2, 1, 4.
TEST(DiagonalBlocks, SupervariablesAreNotCutAndShareBlocks) {
  std::vector<std::array<Index, 2>> places;
  for (Index i = 0; i < 10; ++i) {
    const Index run = i < 3 ? 0 : i < 5 ? 3 : i < 6 ? 5 : 6;
    places.push_back({i, run});
  }
  const PermutedMatrix matrix = permuted(10, places);
  const auto blocks = [&](Index largest) {
    return supervariable_blocks(matrix.pattern.view(), largest);
  };
  EXPECT_THAT(blocks(4), ElementsAre(0, 3, 6, 10));
  EXPECT_THAT(blocks(5), ElementsAre(0, 5, 10));
  EXPECT_THAT(blocks(6), ElementsAre(0, 6, 10));
  EXPECT_THAT(blocks(32), ElementsAre(0, 10));
  EXPECT_THAT(blocks(2), ElementsAre(0, 2, 3, 5, 6, 8, 10));
  EXPECT_THAT(blocks(1), testing::SizeIs(11));
}

TEST(BatchConditions, TellSingularFromNearlySingular) {
  const double inf = std::numeric_limits<double>::infinity();
  GivenMatrices given{.n = 2, .count = 6, .values = {}};
  for (const double last : {1.0, 1e-9, 1e-17, 0.0, inf, 1e-7}) {
    given.values.insert(given.values.end(), {1, 0, 0, last});
  }
  for (const int threads : {1, 3}) {
    const BatchConditions all = count_conditions(
        {.name = "x", .sha256 = "", .groups = {repeating(given, 100, 1)}}, threads);
    EXPECT_EQ(all.matrices, 6);
    EXPECT_EQ(all.singular, 2);
    EXPECT_EQ(all.near_singular, 1);
  }
  const BatchConditions first =
      count_conditions({.name = "x", .sha256 = "", .groups = {repeating(given, 2, 1)}}, 1);
  EXPECT_EQ(first.matrices, 2);
  EXPECT_EQ(first.near_singular, 1);
}

TEST(BatchConditions, FloatingElementsAreSingular) {
  for (const bool floating : {false, true}) {
    const auto groups = stand_alone_groups(
        {.input = "elements:hex8-elastic", .size = {}, .count = 50, .floating = floating});
    const BatchConditions counts =
        count_conditions({.name = "", .sha256 = "", .groups = groups}, 2);
    EXPECT_EQ(counts.matrices, 50);
    EXPECT_EQ(counts.near_singular, 0);
    if (floating) {
      EXPECT_GT(counts.singular, 40);  // to rounding: a few come out just below
    } else {
      EXPECT_EQ(counts.singular, 0);
    }
  }
}

}  // namespace
}  // namespace lufact
