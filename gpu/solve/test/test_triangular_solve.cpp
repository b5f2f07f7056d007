// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/reference/numeric.hpp"
#include "core/reference/triangular_solve.hpp"
#include "gpu/solve/device_vectors.hpp"
#include "gpu/solve/test/device_problem.hpp"
#include "gpu/solve/triangular_solve.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

// Values that make every solve well conditioned: the reference's factors with a fair threshold.
std::vector<double> factor_values(const HostProblem& problem) {
  return reference::right_looking(problem.matrix, problem.pattern, {0.01, Precision::float64})
      .values;
}

std::vector<double> random_block(Index n, Index columns) {
  std::vector<double> x(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = symmetric_interval(hash64(17, k));
  return x;
}

template <class T>
struct DeviceFactors {
  DeviceFactors(DeviceSession& owner, const HostProblem& problem,
                const std::vector<double>& host_values)
      : session(owner),
        pattern(upload(owner, problem.pattern)),
        values(to_device(owner, std::vector<T>(host_values.begin(), host_values.end()))),
        workspace(owner, MemoryRole::resident, solve_workspace(pattern->n), "workspace") {}

  RowFactors<T> view() const {
    return {pattern->n, pattern->row_ptr.data(), pattern->col_idx.data(), pattern->diagonal.data(),
            values.data()};
  }

  std::vector<double> solve(const std::vector<double>& b, Index columns, bool by_level) {
    const auto vectors = make_device_vector_backend(session);
    const auto block = vectors->make(pattern->n, columns);
    vectors->write(b, *block);
    double* const x = device_block(*block).data();
    if (by_level) {
      const auto lower = make_solve_levels(session, view(), Triangle::lower, workspace.data());
      const auto upper = make_solve_levels(session, view(), Triangle::upper, workspace.data());
      level_solve(session, view(), lower, upper, x, columns);
    } else {
      sync_free_solve(session, view(), workspace.data(), x, columns);
    }
    std::vector<double> result(b.size());
    vectors->read(*block, result);
    return result;
  }

  DeviceSession& session;
  std::shared_ptr<DeviceColumnPattern> pattern;
  Buffer<T> values;
  Buffer<double> workspace;
};

void expect_close(const std::vector<double>& actual, const std::vector<double>& expected,
                  double tolerance) {
  double scale = 0;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    ASSERT_NEAR(actual[k], expected[k], tolerance * scale) << "entry " << k;
  }
}

struct SolveCheck {
  double tolerance;
  std::vector<Index> columns = {1, 2, 4, 7};
  bool twice = true;
};
// Where each access is watched, which is slow.
SolveCheck under_watch(double tolerance) {
  return {tolerance, {1, 7}, false};
}

template <class T>
void check_solves(DeviceSession& session, const HostProblem& problem, const SolveCheck& check) {
  SCOPED_TRACE(problem.name);
  const auto values = factor_values(problem);
  DeviceFactors<T> factors(session, problem, values);
  for (const Index columns : check.columns) {
    const auto b = random_block(problem.matrix.pattern.n_rows, columns);
    auto expected = b;
    reference::solve(problem.pattern, values, expected, columns);
    for (const bool by_level : {false, true}) {
      SCOPED_TRACE(by_level ? "by level" : "sync-free");
      const auto solution = factors.solve(b, columns, by_level);
      expect_close(solution, expected, check.tolerance);
      if (!check.twice) continue;
      EXPECT_EQ(solution, factors.solve(b, columns, by_level)) << "two runs differ";
    }
  }
}

using TriangularSolve = DeviceTest;

template <class T>
void check_small_matrices(DeviceSession& session, const SolveCheck& check) {
  for (const auto& problem : small_problems()) check_solves<T>(session, problem, check);
}
TEST_F(TriangularSolve, SanitizeSmallMatricesAgreeWithTheReferenceInDouble) {
  check_small_matrices<double>(session(), under_watch(1e-11));
}
TEST_F(TriangularSolve, SanitizeSmallMatricesAgreeWithTheReferenceInFloat) {
  check_small_matrices<float>(session(), under_watch(1e-3));
}
TEST_F(TriangularSolve, SmallMatricesAgreeWithTheReferenceTwice) {
  check_small_matrices<double>(session(), {1e-11});
  check_small_matrices<float>(session(), {1e-3});
}

TEST_F(TriangularSolve, LongChainsAndWideLevelsAgreeWithTheReference) {
  check_solves<double>(session(), chain_problem(3000), {1e-11});
  check_solves<double>(session(), bordered_problem(4000, 4), {1e-11});
  check_solves<double>(session(), random_problem(1000, 2), {1e-11});
}

TEST_F(TriangularSolve, DenseSquaresOfEverySizeAgreeWithTheReference) {
  for (const Index n : {31, 32, 33, 63, 64, 65, 300}) {
    check_solves<double>(session(), dense_problem(n), {1e-11});
    check_solves<float>(session(), dense_problem(n), {1e-3});
  }
  check_solves<double>(session(), arrow_problem(301, false), {1e-11});
}

TEST_F(TriangularSolve, SanitizeAValueThatIsNoNumberReachesTheSolution) {
  const auto problem = chain_problem(100);
  DeviceFactors<double> factors(session(), problem, factor_values(problem));
  auto b = random_block(100, 1);
  b[0] = std::bit_cast<double>(~std::uint64_t{0});  // the bits of an unknown value
  for (const double value : factors.solve(b, 1, false)) EXPECT_TRUE(std::isnan(value));
}

TEST_F(TriangularSolve, SanitizeSolveLevelsPutEveryRowAfterTheRowsItNames) {
  for (const auto& problem : small_problems()) {
    SCOPED_TRACE(problem.name);
    DeviceFactors<double> factors(session(), problem, factor_values(problem));
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      const auto levels =
          make_solve_levels(session(), factors.view(), triangle, factors.workspace.data());
      const auto rows = levels.rows.download();
      const auto level_ptr = levels.level_ptr.download();
      ASSERT_EQ(level_ptr.size(), static_cast<std::size_t>(levels.levels) + 1);
      EXPECT_EQ(level_ptr.front(), 0);
      EXPECT_EQ(level_ptr.back(), problem.matrix.pattern.n_rows);
      std::vector<Index> level_of(rows.size(), -1);
      for (Index l = 0; l < levels.levels; ++l) {
        const auto level = static_cast<std::size_t>(l);
        ASSERT_LT(level_ptr[level], level_ptr[level + 1]) << "an empty level";
        for (Index p = level_ptr[level]; p < level_ptr[level + 1]; ++p) {
          level_of[static_cast<std::size_t>(rows[static_cast<std::size_t>(p)])] = l;
        }
      }
      for (Index i = 0; i < problem.matrix.pattern.n_rows; ++i) {
        Index needed = 0;
        for (const Index j : problem.pattern.rows.row(i)) {
          if (triangle == Triangle::lower ? j < i : j > i) {
            needed = std::max(needed, level_of[static_cast<std::size_t>(j)] + 1);
          }
        }
        EXPECT_EQ(level_of[static_cast<std::size_t>(i)], needed) << "row " << i;
      }
    }
  }
}

TEST_F(TriangularSolve, StressHundredsOfSyncFreeSolvesBesideACompetingKernelGiveTheSameBits) {
  const OtherStream other;
  for (const auto& problem :
       {chain_problem(2000), bordered_problem(3000, 4), random_problem(800, 2)}) {
    SCOPED_TRACE(problem.name);
    DeviceFactors<double> factors(session(), problem, factor_values(problem));
    const auto b = random_block(problem.matrix.pattern.n_rows, 2);
    const auto expected = factors.solve(b, 2, false);
    expect_close(expected, factors.solve(b, 2, true), 1e-11);
    for (std::uint64_t run = 0; run < 150; ++run) {
      other.occupy_randomly(session().sm_count(), run);
      ASSERT_EQ(factors.solve(b, 2, false), expected) << "run " << run;
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
