// SPDX-License-Identifier: BSD-3-Clause
// Solves with the transpose by fronts on the device.
#include <gtest/gtest.h>

#include "core/pipeline/transposed.hpp"
#include "gpu/fronts/test/front_bench.hpp"
#include "gpu/solve/device_vectors.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

class FrontSolves : public DeviceTest, public ::testing::WithParamInterface<FrontVariant> {};
INSTANTIATE_TEST_SUITE_P(Stages, FrontSolves, ::testing::ValuesIn(front_variants()),
                         front_variant_name);

// b := B' x for each column.
std::vector<double> times_transposed(const PermutedMatrix& matrix, const std::vector<double>& x) {
  const CsrPattern& pattern = matrix.pattern;
  const auto n = static_cast<std::size_t>(pattern.n_rows);
  std::vector<double> b(x.size());
  for (std::size_t first = 0; first < x.size(); first += n) {
    for (std::size_t i = 0; i < n; ++i) {
      for (auto p = at(pattern.row_ptr[i]); p < at(pattern.row_ptr[i + 1]); ++p) {
        b[first + at(pattern.col_idx[p])] += matrix.values[p] * x[first + i];
      }
    }
  }
  return b;
}

TEST_P(FrontSolves, SanitizeTransposedSolvesGiveWhatTheTransposeWasMultipliedBy) {
  for (HostProblem& problem :
       with_swapped(GetParam(), {random_problem(200), dense_problem(150), chain_problem(300)},
                    {{6, 10}, {3, 100}})) {
    FrontBench subject(session(), problem, GetParam(), {.transposed = true});
    const auto factors = subject.run();
    const auto matrix = upload(session(), problem.matrix);
    const auto vectors = make_device_vector_backend(session());
    const Index n = problem.matrix.pattern.n_rows;
    for (const Index columns : {1, 3, 40}) {
      SCOPED_TRACE(problem.name + ", right-hand sides: " + std::to_string(columns));
      std::vector<double> wanted(at(n) * at(columns));
      for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = symmetric_interval(hash64(7, k));
      const auto b = vectors->make(n, columns), x = vectors->make(n, columns);
      vectors->write(times_transposed(problem.matrix, wanted), *b);
      apply_transposed(*factors, *matrix, *vectors, *b, *x, "task-graph");
      std::vector<double> solution(wanted.size());
      vectors->read(*x, solution);
      expect_close(solution, wanted, GetParam().tolerance());
      apply_transposed(*factors, *matrix, *vectors, *b, *b, "task-graph");
      std::vector<double> again(wanted.size());
      vectors->read(*b, again);
      EXPECT_EQ(again, solution) << "in place";
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
