// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/comparisons.hpp"

#include <algorithm>
#include <iterator>

#include "core/report/json_codec.hpp"
#include "core/report/summary.hpp"

namespace lufact {
namespace {

struct Pairs {
  std::vector<double> base, other;
};

Pairs pair_by_repetition(const PhaseSeries& base, const PhaseSeries& other) {
  Pairs pairs;
  for (std::size_t k = 0; k < base.repetitions.size(); ++k) {
    const auto& repetitions = other.repetitions;
    const auto match = std::find(repetitions.begin(), repetitions.end(), base.repetitions[k]);
    if (match == repetitions.end()) continue;
    pairs.base.push_back(base.seconds[k]);
    pairs.other.push_back(other.seconds[static_cast<std::size_t>(match - repetitions.begin())]);
  }
  return pairs;
}

bool all_positive(const std::vector<double>& seconds) {
  return std::all_of(seconds.begin(), seconds.end(), [](double s) { return s > 0; });
}

bool comparable(const RunRecord& a, const RunRecord& b) {
  return took_turns(a, b) && a.workload == b.workload && a.until == b.until &&
         a.input.sha256 == b.input.sha256 && a.input.reading == b.input.reading &&
         a.input.entries == b.input.entries;
}

bool is_peer(const RunRecord& run) {
  return run.mode == peer_mode;
}

}  // namespace

bool took_turns(const RunRecord& a, const RunRecord& b) {
  if (!a.sweep || !b.sweep) return a.sweep.has_value() == b.sweep.has_value();
  return a.sweep->invocation == b.sweep->invocation;
}

std::vector<Comparison> compare_pair(const RunRecord& base, const RunRecord& other,
                                     std::uint64_t seed) {
  std::vector<Comparison> comparisons;
  const std::vector<PhaseSeries> others = top_level_series(other.samples);
  for (const PhaseSeries& series : top_level_series(base.samples)) {
    const auto match =
        std::find_if(others.begin(), others.end(),
                     [&](const PhaseSeries& candidate) { return candidate.name == series.name; });
    if (match == others.end()) continue;
    const Pairs pairs = pair_by_repetition(series, *match);
    if (pairs.base.empty() || !all_positive(pairs.base) || !all_positive(pairs.other)) continue;
    comparisons.push_back(
        {base.id, other.id, series.name, compare_paired(pairs.base, pairs.other, seed)});
  }
  return comparisons;
}

std::vector<Comparison> compare_refactorizations(const RunRecord& base, const RunRecord& other,
                                                 std::uint64_t seed) {
  std::vector<Comparison> comparisons;
  const std::vector<PhaseSeries> others = top_level_series(other.refactor_samples);
  for (const PhaseSeries& series : top_level_series(base.refactor_samples)) {
    const auto match = std::ranges::find(others, series.name, &PhaseSeries::name);
    if (match == others.end() || !all_positive(series.seconds) || !all_positive(match->seconds)) {
      continue;
    }
    comparisons.push_back({base.id, other.id, std::string(refactor_prefix) + series.name,
                           compare_unpaired(series.seconds, match->seconds, seed)});
  }
  return comparisons;
}

bool is_verified(const RunRecord& run) {
  return std::ranges::find(run.warnings, unverified_code, &Warning::code) == run.warnings.end();
}

std::vector<Comparison> compare_runs(std::span<const RunRecord> runs, std::uint64_t seed) {
  std::vector<Comparison> comparisons;
  std::vector<const RunRecord*> earlier;
  for (const RunRecord& run : runs) {
    if (run.outcome != Outcome::ok || !is_verified(run) || !run.input.sha256) continue;
    bool first = true;
    for (const RunRecord* base : earlier) {
      if (!comparable(*base, run)) continue;
      if (first || (is_peer(run) && !is_peer(*base))) {
        for (const auto& compare : {compare_pair, compare_refactorizations}) {
          std::ranges::move(compare(*base, run, seed), std::back_inserter(comparisons));
        }
      }
      first = false;
    }
    earlier.push_back(&run);
  }
  return comparisons;
}

nlohmann::ordered_json to_json(const Comparison& comparison) {
  return {{"base_id", comparison.base_id},
          {"id", comparison.id},
          {"phase", comparison.phase},
          {"ratio", codec::encode(comparison.estimate.ratio)},
          {"ci_low", codec::encode(comparison.estimate.ci_low)},
          {"ci_high", codec::encode(comparison.estimate.ci_high)},
          {"verdict", std::string(to_string(comparison.estimate.verdict))}};
}

}  // namespace lufact
