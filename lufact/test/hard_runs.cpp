// SPDX-License-Identifier: BSD-3-Clause
#include "lufact/test/hard_runs.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/error.hpp"
#include "core/columns/host_vectors.hpp"
#include "core/verify/solution.hpp"
#include "gpu/gpu.hpp"

namespace lufact::test {
namespace {

constexpr std::uint64_t matrices = 200;
constexpr int threads = 1;

LinearSystem system_of(const CsrMatrix& a) {
  LinearSystem system;
  system.input.matrix = a;
  system.input.facts.n = a.pattern.n_rows;
  system.input.facts.nnz = a.pattern.nnz();
  system.x_true = make_x_true(a.pattern.n_rows, 1, 1);
  system.b = multiply(a, system.x_true, 1);
  system.matrix_norm = matrix_norm(a);
  return system;
}

}  // namespace

void HardRuns::SetUp() {
  if (!GetParam().on_device) return;
  try {
    session_ = gpu::open_session({});
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
}

StageSelection HardRuns::stages(const std::string& scaling, const std::string& ordering) const {
  StageSelection selection = catalogue_.mode(GetParam().mode).stages;
  selection.scaling = scaling;
  selection.ordering = ordering;
  if (GetParam().fronts_on_device) {
    selection.family.clear();
    selection.symbolic = "gpu-fronts";
    selection.levelize = "task-graph";
    selection.numeric = "gpu-multifrontal";
  }
  return selection;
}

HardRun HardRuns::run(const CsrMatrix& a, const StageSelection& selection, int most_replans,
                      int refactorizations) {
  const Chain chain = resolve_chain(catalogue_, selection);
  const LinearSystem system = system_of(a);
  const SteadyClock clock;
  RunEnvironment environment{.clock = clock};
  environment.make_vectors = [&](Side side) {
    return side == Side::device ? gpu::make_vector_backend(*session_)
                                : make_host_vector_backend(threads);
  };
  if (session_) {
    environment.device = session_.get();
    environment.probe = &gpu::probe(*session_);
    environment.device_room = [&] { return gpu::free_bytes(*session_); };
  }
  RunSettings settings;
  settings.options.pivoting = selection.pivoting;
  settings.options.dependency = chain.dependency;
  settings.options.threads = threads;
  settings.most_replans = most_replans;
  PipelineRun pipeline(catalogue_, chain, system, settings, environment);
  HardRun result;
  result.record.samples.push_back(pipeline.run_repetition(0));
  result.solution = pipeline.solution();
  pipeline.describe(result.record);
  for (int k = 0; k < refactorizations; ++k) {
    result.record.refactor_samples.push_back(pipeline.run_refactorization(k));
  }
  pipeline.add_refactorizations(result.record);
  return result;
}

// By lufact's own choice, by the GPU's dissection, or by the order of the file.
TEST_P(HardRuns, SolveEveryGeneratedMatrix) {
  const std::array<std::string, 3> orderings{"amd", "nd-parallel", "natural"};
  int planned_again = 0;
  for (std::uint64_t seed = 0; seed < matrices; ++seed) {
    const HardMatrix hard = hard_matrix(seed);
    for (const std::string scaling : {"mc64", "none"}) {
      SCOPED_TRACE(hard.name + ", " + scaling);
      const HardRun result = run(hard.matrix, stages(scaling, orderings[seed / 4 % 3]));
      EXPECT_TRUE(result.record.verification->passed) << result.record.verification->message;
      const bool again = result.record.numeric->replans.value() > 0;
      EXPECT_EQ(std::ranges::count(result.record.warnings, "planned_again", &Warning::code),
                again ? 1 : 0);
      EXPECT_EQ(std::ranges::count(result.record.warnings, "unusable_pivots", &Warning::code), 0);
      const bool matched = result.record.pipeline->scaling != scaling;
      EXPECT_EQ(matched, again && scaling == "none");
      planned_again += again ? 1 : 0;
    }
  }
  EXPECT_GT(planned_again, 0);
}

// Products of triangles, which are planned again although their rows are matched.
TEST_P(HardRuns, AreTheSameEveryTimeAndRefactorByTheLastPlan) {
  int planned_again = 0;
  for (std::uint64_t seed = 2; seed < matrices / 2; seed += 4) {
    const HardMatrix hard = hard_matrix(seed);
    SCOPED_TRACE(hard.name);
    const HardRun first = run(hard.matrix, stages("mc64", "natural"), 8, 2);
    const HardRun second = run(hard.matrix, stages("mc64", "natural"), 8, 2);
    planned_again += first.record.numeric->replans.value() > 0 ? 1 : 0;
    EXPECT_TRUE(first.record.verification->passed) << first.record.verification->message;
    EXPECT_EQ(second.solution, first.solution);
    EXPECT_EQ(second.record.factors->values_sha256, first.record.factors->values_sha256);
    EXPECT_EQ(second.record.numeric->replans, first.record.numeric->replans);
    EXPECT_EQ(second.record.numeric->delayed_pivots, first.record.numeric->delayed_pivots);
    EXPECT_EQ(second.record.pipeline->choices.size(), first.record.pipeline->choices.size());
  }
  EXPECT_GT(planned_again, 0);
}

TEST_P(HardRuns, NameTheWeakestPivotsWhereTheyFail) {
  int failed = 0;
  for (std::uint64_t seed = 0; seed < matrices / 4; ++seed) {
    const HardMatrix hard = hard_matrix(seed);
    const HardRun result = run(hard.matrix, stages("none", "natural"), 0);
    const NumericRecord& numeric = *result.record.numeric;
    EXPECT_EQ(numeric.replans, 0);
    EXPECT_EQ(numeric.delayed_pivots, 0);
    if (result.record.verification->passed) {
      EXPECT_TRUE(numeric.suspect_pivots.empty());
      continue;
    }
    SCOPED_TRACE(hard.name);
    ++failed;
    std::set<Offset> rows, columns;
    double last = 0;
    for (const SuspectPivot& pivot : numeric.suspect_pivots) {
      rows.insert(pivot.row);
      columns.insert(pivot.column);
      EXPECT_GE(pivot.size, last);
      last = pivot.size;
      EXPECT_THAT(pivot.row, testing::AllOf(testing::Ge(1), testing::Le(result.solution.size())));
      EXPECT_EQ(pivot.row, pivot.column);  // nothing was matched
    }
    EXPECT_EQ(rows.size(), numeric.suspect_pivots.size());
    EXPECT_EQ(columns.size(), numeric.suspect_pivots.size());
  }
  EXPECT_GT(failed, 0);
}

}  // namespace lufact::test
