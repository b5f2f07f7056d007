// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/systems_rate.hpp"

#include "core/measure/statistics.hpp"

namespace lufact {
namespace {

// Seconds of factorization and solution.
double seconds_of(const Sample& sample) {
  double seconds = 0;
  for (const PhaseTime& phase : sample.phases) {
    if (phase.name == "numeric" || phase.name == "solve") seconds += phase.wall_s;
  }
  return seconds;
}

}  // namespace

std::vector<double> factor_and_solve_seconds(const RunRecord& run) {
  std::vector<double> seconds;
  for (const Sample& sample : run.refactor_samples.empty() ? run.samples : run.refactor_samples) {
    seconds.push_back(seconds_of(sample));
  }
  return seconds;
}

void set_systems_rate(RunRecord& run) {
  const std::vector<double> seconds = factor_and_solve_seconds(run);
  if (!run.systems || seconds.empty()) return;
  const double median = summarize(seconds).value().median;
  if (median > 0) run.systems->systems_per_s = static_cast<double>(run.systems->count) / median;
}

}  // namespace lufact
