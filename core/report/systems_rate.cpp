// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/systems_rate.hpp"

#include <vector>

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

void set_systems_rate(RunRecord& run) {
  const auto& samples = run.refactor_samples.empty() ? run.samples : run.refactor_samples;
  if (!run.systems || samples.empty()) return;
  std::vector<double> seconds;
  for (const Sample& sample : samples) seconds.push_back(seconds_of(sample));
  const double median = summarize(seconds).value().median;
  if (median > 0) run.systems->systems_per_s = static_cast<double>(run.systems->count) / median;
}

}  // namespace lufact
