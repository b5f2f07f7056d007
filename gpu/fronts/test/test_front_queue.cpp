// SPDX-License-Identifier: BSD-3-Clause
// Refactorizations that are put on the device without waiting, and solves that begin beside them:
// the bits are those of steps that are waited for, in every run.
#include <gtest/gtest.h>

#include <array>

#include "core/pipeline/queued_work.hpp"
#include "gpu/fronts/test/front_bench.hpp"
#include "gpu/solve/device_vectors.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

class QueuedFronts : public DeviceTest, public ::testing::WithParamInterface<FrontVariant> {
 protected:
  FrontBench bench(const HostProblem& problem) {
    return FrontBench(session(), problem, GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Stages, QueuedFronts, ::testing::ValuesIn(front_variants()),
                         front_variant_name);

TEST_P(QueuedFronts, SanitizeRefactorizationsEqualThoseThatAreWaitedFor) {
  for (const auto& problem : {random_problem(200), chain_problem(300), zero_pivot_problem()}) {
    SCOPED_TRACE(problem.name);
    FrontBench first = bench(problem);
    const auto factors = first.run();
    auto* const queued = find_part<QueuedFactors>(factors.get());
    ASSERT_NE(queued, nullptr);
    const auto matrix = upload(session(), problem.matrix);
    for (const std::uint64_t seed : {31u, 32u, 33u}) {
      const HostProblem changed = with_other_values(problem, seed);
      FrontBench second = bench(changed);
      const auto fresh = second.run();
      queued->queue_refactor(with_new_values(changed, *matrix, first.context), first.context);
      session().synchronize();
      queued->finish_refactor(first.context);
      EXPECT_EQ(values_of(*factors), values_of(*fresh));
      EXPECT_EQ(factors->figures().perturbed_pivots, fresh->figures().perturbed_pivots);
      EXPECT_EQ(factors->figures().largest_perturbation, fresh->figures().largest_perturbation);
      factors->refactor(matrix, first.context);  // the two kinds may follow each other
    }
  }
}

// One right-hand side: the solve begins beside the factorization. Several: it comes after it.
TEST_P(QueuedFronts, StressSolvesBesideTheFactorizationGiveTheSameBits) {
  const OtherStream other;
  const auto vectors = make_device_vector_backend(session());
  for (const auto& problem :
       {random_problem(200), random_problem(600, 3), dense_problem(300), chain_problem(3000),
        bordered_problem(400, 150), arrow_problem(3000, true), swapped_problem(40, 12)}) {
    SCOPED_TRACE(problem.name);
    const Index n = problem.matrix.pattern.n_rows;
    FrontBench first = bench(problem);
    const auto factors = first.run();
    auto* const queued = find_part<QueuedFactors>(factors.get());
    auto* const queued_vectors = find_part<QueuedVectors>(vectors.get());
    const auto matrix = upload(session(), problem.matrix);
    const std::array changed{with_other_values(problem, 1), with_other_values(problem, 2)};
    for (const Index columns : {1, 5}) {
      std::vector<double> right(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns));
      for (std::size_t k = 0; k < right.size(); ++k) right[k] = symmetric_interval(hash64(3, k));
      const auto b = vectors->make(n, columns), x = vectors->make(n, columns),
                 r = vectors->make(n, columns);
      vectors->write(right, *b);
      for (std::size_t run = 0; run < (columns == 1 ? 10 : 2); ++run) {
        const HostProblem& values = changed[run % 2];
        const auto renewed = with_new_values(values, *matrix, first.context);
        session().synchronize();
        factors->refactor(renewed, first.context);
        factors->apply(*renewed, *vectors, *b, *x, "task-graph");
        const double error = vectors->residual(*renewed, 1, *x, *b, *r);
        std::vector<double> expected(right.size()), solution(right.size());
        vectors->read(*x, expected);
        const auto expected_factors = values_of(*factors);
        vectors->set_to_zero(*x);
        session().synchronize();
        other.occupy_randomly(session().sm_count(), run);
        const auto again = with_new_values(values, *renewed, first.context);
        queued->queue_refactor_and_apply(again, *vectors, *b, *x, "task-graph", first.context);
        queued_vectors->queue_residual(*again, 1, *x, *b, *r);
        session().synchronize();
        queued->finish_refactor(first.context);
        EXPECT_EQ(queued_vectors->queued_residual(), error);
        vectors->read(*x, solution);
        ASSERT_EQ(solution, expected) << columns << " columns, run " << run;
        ASSERT_EQ(values_of(*factors), expected_factors) << columns << " columns, run " << run;
      }
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
