// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/gsofa_figures.hpp"

#include <string_view>
#include <vector>

#include "core/measure/statistics.hpp"

namespace lufact {
namespace {

std::optional<double> median_of(const std::vector<Sample>& samples, std::string_view name) {
  std::vector<double> seconds;
  for (const Sample& sample : samples) {
    for (const PhaseTime& phase : sample.phases) {
      if (phase.name == name) seconds.push_back(phase.wall_s);
    }
  }
  if (seconds.empty()) return std::nullopt;
  return summarize(seconds).value().median;
}

}  // namespace

std::optional<GsofaNotes> gsofa_with_figures(const RunRecord& run) {
  std::optional<GsofaNotes> gsofa = run.gsofa;
  if (!gsofa) return gsofa;
  const std::optional<double> search_s = median_of(run.samples, "symbolic/search");
  gsofa->edges_per_s.reset();
  if (search_s && *search_s > 0) {
    gsofa->edges_per_s = static_cast<double>(gsofa->edges_checked) / *search_s;
  }
  gsofa->reinitialise_s = median_of(run.samples, "symbolic/reinitialise");
  return gsofa;
}

}  // namespace lufact
