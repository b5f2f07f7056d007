// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the numeric stages share: one problem on the device, a stage, and the
// comparison with the reference.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/measure/clock.hpp"
#include "core/pipeline/column_factors.hpp"
#include "core/reference/numeric.hpp"
#include "gpu/numeric/resident_bytes.hpp"
#include "gpu/solve/test/device_problem.hpp"

namespace lufact::gpu::testing_support {

// A session's stage context, the products of one problem on the device, and a stage.
class Bench {
 public:
  Bench(DeviceSession& session, const HostProblem& problem, std::unique_ptr<NumericStage> stage,
        DependencyRule rule = DependencyRule::relaxed)
      : session_(session),
        phases_(clock_, &session.probe()),
        matrix_(upload(session, problem.matrix)),
        pattern_(upload(session, problem.pattern)),
        schedule_(upload(session, reference::levelize(problem.pattern, rule))),
        stage_(std::move(stage)) {
    options.pivot_threshold = default_pivot_threshold(Precision::float64);
  }

  std::shared_ptr<Factors> run() { return stage_->run(matrix_, pattern_, schedule_, context); }
  DeviceSession& session() { return session_; }
  Index levels() const { return schedule_->levels; }
  const NumericStage& stage() const { return *stage_; }
  PhaseRecorder& phases() { return phases_; }
  const DeviceColumnPattern& pattern() const { return *pattern_; }
  const DeviceColumnSchedule& schedule() const { return *schedule_; }

 private:
  DeviceSession& session_;
  SteadyClock clock_;
  PhaseRecorder phases_;
  std::shared_ptr<DevicePermutedMatrix> matrix_;
  std::shared_ptr<DeviceColumnPattern> pattern_;
  std::shared_ptr<DeviceColumnSchedule> schedule_;
  std::unique_ptr<NumericStage> stage_;

 public:
  StageOptions options;
  StageNotes notes;
  StageContext context{.phases = phases_,
                       .options = options,
                       .notes = notes,
                       .device = &session_,
                       .check_resident = {}};
};

// What the factors of the stage keep, by its own formula; of a selector, the most.
inline std::uint64_t kept_bytes(const NumericStage& stage, Index n, Offset nnz_lu,
                                Precision precision) {
  return stage.resident_bytes(n, 0, nnz_lu, 0, precision) - column_schedule_bytes(n);
}

inline std::vector<double> values_of(const Factors& factors) {
  return dynamic_cast<const ColumnFactors&>(factors).values_by_row();
}

inline void expect_close(const std::vector<double>& actual, const std::vector<double>& expected,
                         double tolerance) {
  double scale = 0;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    ASSERT_NEAR(actual[k], expected[k], tolerance * scale) << "entry " << k;
  }
}

struct Accuracy {
  Precision precision;
  double threshold, tolerance;
};
inline constexpr Accuracy in_double{Precision::float64, 1e-13, 1e-12};
inline constexpr Accuracy in_float{Precision::float32, 1e-6, 1e-4};

// Runs the bench and compares its factors and figures with the reference's. Returns the factors.
inline std::shared_ptr<Factors> check_factors(Bench& bench, const HostProblem& problem,
                                              const Accuracy& accuracy) {
  SCOPED_TRACE(problem.name + " in " + std::string(to_string(accuracy.precision)));
  bench.options.precision = accuracy.precision;
  bench.options.pivot_threshold = accuracy.threshold;
  const auto expected = reference::right_looking(problem.matrix, problem.pattern,
                                                 {accuracy.threshold, accuracy.precision});
  auto factors = bench.run();
  expect_close(values_of(*factors), expected.values, accuracy.tolerance);
  const FactorFigures figures = factors->figures();
  EXPECT_EQ(figures.precision, accuracy.precision);
  EXPECT_EQ(figures.perturbed_pivots, expected.perturbed_pivots);
  EXPECT_NEAR(figures.largest_perturbation, expected.largest_perturbation,
              accuracy.tolerance * problem.matrix.scaled_norm);
  EXPECT_NEAR(figures.growth.value_or(0), expected.growth, accuracy.tolerance * expected.growth);
  EXPECT_TRUE(bench.notes.warnings.empty());
  return factors;
}

}  // namespace lufact::gpu::testing_support
