// SPDX-License-Identifier: BSD-3-Clause
// `subtrees` and `cpu-multifrontal`: the factors of the sequential twin, the same bits for any
// number of threads, and schedules that their validator takes, or finds the damage in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "core/base/error.hpp"
#include "core/fronts/test/host_fronts.hpp"
#include "core/reference/front_elimination.hpp"
#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

using namespace test;

CsrMatrix grid_matrix(Index side) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < side * side; ++i) {
    entries.push_back({i, i, 4.5});
    if (i % side + 1 < side) entries.insert(entries.end(), {{i, i + 1, -1.25}, {i + 1, i, -1}});
    if (i + side < side * side) {
      entries.insert(entries.end(), {{i, i + side, -1}, {i + side, i, -0.75}});
    }
  }
  return matrix_from_triplets(side * side, std::move(entries));
}

// Paths of `length` vertices whose ends meet in `hubs` vertices, which come last.
CsrMatrix star_of_paths(Index paths, Index length, Index hubs) {
  std::vector<Triplet> entries;
  const Index n = paths * length + hubs;
  for (Index i = 0; i < n; ++i) entries.push_back({i, i, 8.0});
  for (Index i = 0; i + hubs < n; ++i) {
    const bool end = i % length + 1 == length;
    const Index next = end ? n - 1 - i / length % hubs : i + 1;
    entries.insert(entries.end(), {{i, next, 1.0}, {next, i, 0.5}});
    if (end) entries.insert(entries.end(), {{i, n - hubs, 0.25}, {n - hubs, i, 0.5}});
  }
  return matrix_from_triplets(n, std::move(entries));
}

std::vector<NamedMatrix> matrices() {
  std::vector<NamedMatrix> list = cpu_matrices();
  for (const Index n : {1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200}) {
    list.push_back({"full " + std::to_string(n), random_matrix(n, 4 * n, 3)});
  }
  list.push_back({"random 600", random_matrix(600, 3, 11)});
  list.push_back({"grid 20", grid_matrix(20)});
  list.push_back({"star of paths", star_of_paths(150, 9, 1)});
  list.push_back({"star of paths to hubs", star_of_paths(60, 5, 40)});
  return list;
}

// Large enough that several threads take subtrees and share fronts.
std::vector<NamedMatrix> large_matrices() {
  return {{"random 900", random_matrix(900, 2, 23)},
          {"grid 60", grid_matrix(60)},
          {"star", star_of_paths(300, 9, 140)}};
}

TEST(HostFronts, HaveTheTwinsFactorsAndSolutions) {
  for (const NamedMatrix& named : matrices()) {
    if (!named.dominant) continue;
    for (const HostFrontVariant& variant : host_front_variants) {
      SCOPED_TRACE(named.name + " " + variant.name());
      Fronts fronts(scaled_product(named.matrix), 1, variant);
      const ProductPtr graph =
          make_task_graph_levelize()->run(fronts.tree_product, fronts.harness.context);
      const auto& tasks = product_cast<TaskGraph>(*graph);
      const auto expected =
          reference::eliminate_fronts(*fronts.b, fronts.tree(), tasks,
                                      fronts.harness.options.pivot_threshold, variant.pivoting);
      fronts.factor();
      EXPECT_EQ(fronts.factors->figures().perturbed_pivots, 0);
      EXPECT_EQ(fronts.factors->figures().precision, variant.precision);
      EXPECT_TRUE(fronts.harness.notes.warnings.empty());
      EXPECT_EQ(fronts.front_factors().row_sources(), expected.row_sources);
      EXPECT_EQ(fronts.factors->figures().exchanged_rows.value_or(0), expected.exchanged_rows);
      expect_close(fronts.front_factors().stored_values(), expected.values, variant.tolerance());
      for (const Index columns : {1, 3, 4, 7, 37}) {
        std::vector<double> x = random_vector(fronts.tree().n, columns);
        const std::vector<double> actual = fronts.solve(x);
        reference::solve_fronts(fronts.tree(), tasks.shape, expected.values, expected.row_sources,
                                x, columns);
        expect_close(actual, x, variant.tolerance());
      }
    }
  }
}

TEST(HostFronts, FactorsPassTheirValidator) {
  for (const NamedMatrix& named : matrices()) {
    for (const HostFrontVariant& variant : host_front_variants) {
      SCOPED_TRACE(named.name + " " + variant.name());
      Fronts fronts(scaled_product(named.matrix), 2, variant);
      fronts.factor();
      const FrontFactors& factors = fronts.front_factors();
      const ValidatorVerdict verdict =
          validate_front_factors(*fronts.b, fronts.tree(), factors.shapes(),
                                 factors.stored_values(), factors.row_sources(), factors.figures());
      EXPECT_TRUE(verdict.passed || !named.dominant) << verdict.message;
    }
  }
}

TEST(HostFronts, GiveTheSameBitsForAnyNumberOfThreads) {
  for (const NamedMatrix& named : matrices()) {
    SCOPED_TRACE(named.name);
    for (const HostFrontVariant& variant : host_front_variants) {
      if (named.dominant) expect_same_bits(named.matrix, variant);
    }
  }
}

TEST(HostFronts, GiveTheSameBitsWhereThreadsShareFronts) {
  for (const NamedMatrix& named : large_matrices()) {
    SCOPED_TRACE(named.name);
    for (const HostFrontVariant& variant : host_front_variants) {
      expect_same_bits(named.matrix, variant);
    }
  }
}

// b - (row_scale B col_scale)' x, the largest entry over all columns.
double transposed_residual(const PermutedMatrix& b, const std::vector<double>& rhs,
                           const std::vector<double>& x) {
  const std::size_t n = at(b.pattern.n_rows);
  std::vector<double> residual = rhs;
  for (std::size_t c = 0; c * n < x.size(); ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      for (Offset p = b.pattern.row_ptr[i]; p < b.pattern.row_ptr[i + 1]; ++p) {
        const std::size_t j = at(b.pattern.col_idx[at(p)]);
        residual[c * n + j] -= b.row_scale[i] * b.values[at(p)] * b.col_scale[j] * x[c * n + i];
      }
    }
  }
  double worst = 0;
  for (const double entry : residual) worst = std::max(worst, std::abs(entry));
  return worst;
}

TEST(HostFronts, SolveWithTheTransposeByTheSameFactors) {
  std::vector<NamedMatrix> list = matrices();
  for (NamedMatrix& named : large_matrices()) list.push_back(std::move(named));
  for (const NamedMatrix& named : list) {
    if (!named.dominant) continue;
    for (const HostFrontVariant& variant : host_front_variants) {
      SCOPED_TRACE(named.name + " " + variant.name());
      Fronts fronts(scaled_product(named.matrix), 1, variant);
      fronts.factor();
      const std::vector<double> rhs = random_vector(fronts.tree().n, 37);
      const std::vector<double> x = fronts.solve_transposed(rhs);
      double size = 0;
      for (const double value : x) size = std::max(size, std::abs(value));
      EXPECT_LE(transposed_residual(*fronts.b, rhs, x), 10 * variant.tolerance() * (1 + size));
      const auto one = static_cast<std::ptrdiff_t>(fronts.tree().n);
      const std::vector<double> alone = fronts.solve_transposed({rhs.begin(), rhs.begin() + one});
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(), x.begin()));
    }
  }
}

TEST(HostFronts, SolveWithTheTransposeOfRowsThatWereExchanged) {
  CsrMatrix matrix = random_matrix(200, 12, 5);
  for (Index i = 0; i < 200; ++i) {
    const Offset p = find_entry(matrix.pattern.view(), i, i);
    if (p >= 0) matrix.values[at(p)] = 1e-3;
  }
  for (const int threads : {1, 3}) {
    Fronts fronts(scaled_product(matrix), threads, {Precision::float64, Pivoting::diagonal_block});
    fronts.factor();
    ASSERT_GT(fronts.factors->figures().exchanged_rows.value_or(0), 0);
    const std::vector<double> rhs = random_vector(200, 6), x = fronts.solve_transposed(rhs);
    double size = 0;
    for (const double value : x) size = std::max(size, std::abs(value));
    EXPECT_LE(transposed_residual(*fronts.b, rhs, x), 1e-6 * (1 + size));
  }
}

TEST(HostFronts, SolutionsHaveTheBitsThatTheyHaveAlone) {
  constexpr std::ptrdiff_t most = 71;
  const std::vector<NamedMatrix> list{{"grid 60", grid_matrix(60)},
                                      {"full 129", random_matrix(129, 516, 3)}};
  for (const NamedMatrix& named : list) {
    for (const HostFrontVariant& variant : host_front_variants) {
      SCOPED_TRACE(named.name + " " + variant.name());
      Fronts fronts(scaled_product(named.matrix), 2, variant);
      fronts.factor();
      const auto n = static_cast<std::ptrdiff_t>(fronts.tree().n);
      const std::vector<double> rhs = random_vector(fronts.tree().n, most);
      const std::vector<double> together = fronts.solve(rhs);
      for (const std::ptrdiff_t first : {0, 5, 31, 32, 70}) {
        for (const std::ptrdiff_t count : {1, 6, 33}) {
          if (first + count > most) continue;
          const auto from = rhs.begin() + first * n;
          const std::vector<double> alone = fronts.solve({from, from + count * n});
          ASSERT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + first * n));
        }
      }
    }
  }
}

TEST(HostFronts, RefactorGivesTheBitsOfAFreshFactorization) {
  const auto b = scaled_product(random_matrix(300, 4, 21));
  auto changed = std::make_shared<PermutedMatrix>(*b);
  for (std::size_t p = 0; p < changed->values.size(); ++p) {
    changed->values[p] *= 1 + 1e-3 * symmetric_interval(hash64(31, p));
  }
  give_scales(*changed, 43);
  for (const HostFrontVariant& variant : host_front_variants) {
    Fronts first(b, 2, variant), second(changed, 2, variant);
    first.factor().factors->refactor(changed, first.harness.context);
    EXPECT_EQ(first.front_factors().values_sha256(),
              second.factor().front_factors().values_sha256());
  }
}

TEST(HostFronts, ZeroPivotsAreReplacedAndCounted) {
  // An empty row, and a block whose second pivot is zero when its turn comes.
  const auto b = natural_product(matrix_from_triplets(
      4, {{0, 0, 0.0}, {1, 1, 1.0}, {1, 2, 1.0}, {2, 1, 1.0}, {2, 2, 1.0}, {3, 3, 4.0}}));
  for (const HostFrontVariant& variant : host_front_variants) {
    Fronts fronts(b, 1, variant);
    const FactorFigures figures = fronts.factor().factors->figures();
    const double replacement = fronts.harness.options.pivot_threshold * b->scaled_norm;
    EXPECT_EQ(figures.perturbed_pivots, 2);
    EXPECT_NEAR(figures.largest_perturbation, replacement, 1e-6 * replacement);
  }
}

TEST(HostFronts, ValuesThatAreNotFiniteAreWarnedOf) {
  const auto b = natural_product(random_matrix(65, 3, 5));
  b->values[0] = std::numeric_limits<double>::quiet_NaN();
  Fronts fronts(b, 1);
  fronts.factor();
  ASSERT_EQ(fronts.harness.notes.warnings.size(), 1u);
  EXPECT_EQ(fronts.harness.notes.warnings[0].code, "unusable_pivots");
  EXPECT_FALSE(fronts.factors->figures().growth);
}

TEST(HostFronts, GrowthIsThatOfTheColumnFamily) {
  for (const auto& matrix : {random_matrix(90, 5, 3), grid_matrix(15), random_matrix(80, 300, 2)}) {
    const auto b = scaled_product(matrix);
    Harness harness;
    const Factored columns = test::factor(b, harness);
    Fronts fronts(b, 1);
    ASSERT_TRUE(fronts.factor().factors->figures().growth);
    EXPECT_NEAR(*fronts.factors->figures().growth, *columns.factors->figures().growth, 1e-10);
  }
}

TEST(HostFronts, RefuseAnotherMatrixAndAnotherMethod) {
  Fronts fronts(natural_product(random_matrix(40, 3, 5)), 1);
  fronts.factor();
  EXPECT_THROW(
      fronts.factors->refactor(natural_product(random_matrix(41, 3, 5)), fronts.harness.context),
      std::invalid_argument);
  HostVectorBlock x(40, 1);
  EXPECT_THROW(fronts.factors->solve(x, "by-hand"), Error);
}

TEST(FrontSchedule, PassesItsValidator) {
  std::vector<NamedMatrix> list = matrices();
  for (NamedMatrix& named : large_matrices()) list.push_back(std::move(named));
  for (const NamedMatrix& named : list) {
    for (const int threads : {1, 2, 7}) {
      SCOPED_TRACE(named.name + ", threads: " + std::to_string(threads));
      const Fronts fronts(natural_product(named.matrix), threads);
      const auto verdict = validate_front_schedule(fronts.tree(), fronts.schedule());
      EXPECT_TRUE(verdict.passed) << verdict.message;
    }
  }
}

TEST(FrontSchedule, DamageIsFound) {
  const Fronts fronts(natural_product(grid_matrix(30)), 3);
  ASSERT_FALSE(fronts.schedule().above.empty());
  const std::vector<std::pair<std::string, std::function<void(FrontSchedule&)>>> damages = {
      {"left out", [](FrontSchedule& s) { s.above.pop_back(); }},
      {"twice", [](FrontSchedule& s) { s.subtree.push_back(s.subtree.front()); }},
      {"not there", [](FrontSchedule& s) { std::swap(s.above.front(), s.above.back()); }},
      {"another place", [](FrontSchedule& s) { ++s.entry_to[s.entry_to.size() / 2]; }},
      {"another row", [](FrontSchedule& s) { ++s.parent_row.front(); }},
      {"another parent", [](FrontSchedule& s) { s.front[0].parent = -1; }},
      {"another size", [](FrontSchedule& s) { ++s.front[0].rows; }},
      {"another is, or nowhere",
       [](FrontSchedule& s) { s.front[s.front.size() / 2].contribution = s.thread_arena * 9; }},
      {"those of another", [](FrontSchedule& s) { --s.front[1].values; }}};
  for (const auto& [message, damage] : damages) {
    SCOPED_TRACE(message);
    FrontSchedule damaged = fronts.schedule();
    damage(damaged);
    const auto verdict = validate_front_schedule(fronts.tree(), damaged);
    EXPECT_FALSE(verdict.passed);
    EXPECT_THAT(verdict.message, testing::HasSubstr(message));
  }
}

TEST(FrontSchedule, ContributionBlocksShareMemory) {
  const Fronts fronts(natural_product(grid_matrix(80)), 1);
  Offset all = 0;
  for (const ScheduledFront& front : fronts.schedule().front) all += front.contribution_entries();
  EXPECT_LT(4 * (fronts.schedule().thread_arena + fronts.schedule().shared_arena), all);
}

}  // namespace
}  // namespace lufact
