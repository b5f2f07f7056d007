// SPDX-License-Identifier: BSD-3-Clause
// A context for stages, and the stages of the CPU line one after the other.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/columns/cpu_stages.hpp"
#include "core/measure/clock.hpp"
#include "core/measure/phase_recorder.hpp"
#include "core/pipeline/column_factors.hpp"
#include "core/verify/test/test_support.hpp"

namespace lufact::test {

struct Harness {
  SteadyClock clock;
  PhaseRecorder phases{clock};
  StageOptions options;
  StageNotes notes;
  StageContext context{.phases = phases, .options = options, .notes = notes, .check_resident = {}};

  explicit Harness(int threads = 1, Precision precision = Precision::float64) {
    options.threads = threads;
    options.precision = precision;
    options.pivot_threshold = default_pivot_threshold(precision);
  }
};

struct Factored {
  ProductPtr pattern, schedule;
  std::shared_ptr<Factors> factors;

  const ColumnPattern& column_pattern() const { return product_cast<ColumnPattern>(*pattern); }
  std::vector<double> values() const {
    return dynamic_cast<const ColumnFactors&>(*factors).values_by_row();
  }
};

inline Factored factor(const ProductPtr& b, Harness& harness) {
  Factored result;
  result.pattern = make_gp_pruned_symbolic()->run(b, harness.context);
  result.schedule = make_cpu_levelize()->run(result.pattern, harness.context);
  result.factors = make_cpu_numeric()->run(b, result.pattern, result.schedule, harness.context);
  return result;
}

inline std::shared_ptr<PermutedMatrix> natural_product(const CsrMatrix& a) {
  return std::make_shared<PermutedMatrix>(natural_order(a));
}

// Row and column scales that are no powers of two; scaled_norm is set anew.
void give_scales(PermutedMatrix& b, std::uint64_t seed);

// The named matrices of every module, and those that this line may trip over: dense columns, a
// column of U that no column of L stands behind, long blocks of equal columns.
std::vector<NamedMatrix> cpu_matrices();

}  // namespace lufact::test
