// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/summary.hpp"

#include <algorithm>
#include <cmath>

#include "core/measure/statistics.hpp"

namespace lufact {
namespace {

void add_value(std::vector<PhaseSeries>& all, const std::string& name, int repetition,
               double seconds) {
  if (!std::isfinite(seconds)) return;
  auto series = std::find_if(all.begin(), all.end(),
                             [&](const PhaseSeries& candidate) { return candidate.name == name; });
  if (series == all.end()) series = all.insert(all.end(), PhaseSeries{name, {}, {}});
  series->repetitions.push_back(repetition);
  series->seconds.push_back(seconds);
}

bool is_top_level(const PhaseTime& phase) {
  return phase.name.find('/') == std::string::npos;
}

}  // namespace

std::vector<PhaseSeries> top_level_series(std::span<const Sample> samples) {
  std::vector<PhaseSeries> all;
  for (const Sample& sample : samples) add_value(all, "total_s", sample.repetition, sample.total_s);
  for (const Sample& sample : samples) {
    for (const PhaseTime& phase : sample.phases) {
      if (is_top_level(phase)) add_value(all, phase.name, sample.repetition, phase.wall_s);
    }
  }
  return all;
}

nlohmann::ordered_json summary_json(std::span<const Sample> samples) {
  nlohmann::ordered_json json = {{"total_s", nullptr}};
  for (const PhaseSeries& series : top_level_series(samples)) {
    const SampleSummary summary = summarize(series.seconds).value();
    json[series.name] = {{"n", summary.n},   {"median", summary.median}, {"q1", summary.q1},
                         {"q3", summary.q3}, {"min", summary.min},       {"max", summary.max}};
  }
  return json;
}

}  // namespace lufact
