// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/comparisons.hpp"

#include <algorithm>
#include <iterator>

#include "core/report/json_codec.hpp"
#include "core/report/summary.hpp"
#include "core/report/systems_rate.hpp"
#include "core/report/work_amount.hpp"

namespace lufact {
namespace {

// The seconds of repetitions that both have.
void pair_by_repetition(const PhaseSeries& base, const PhaseSeries& other, SharedPhase& shared) {
  for (std::size_t k = 0; k < base.repetitions.size(); ++k) {
    const auto& repetitions = other.repetitions;
    const auto match = std::find(repetitions.begin(), repetitions.end(), base.repetitions[k]);
    if (match == repetitions.end()) continue;
    shared.base.push_back(base.seconds[k]);
    shared.other.push_back(other.seconds[static_cast<std::size_t>(match - repetitions.begin())]);
  }
}

bool all_positive(const std::vector<double>& seconds) {
  return std::all_of(seconds.begin(), seconds.end(), [](double s) { return s > 0; });
}

void add_shared(std::span<const Sample> base, std::span<const Sample> other, Sampling sampling,
                std::string_view prefix, std::vector<SharedPhase>& all) {
  const std::vector<PhaseSeries> others = top_level_series(other);
  for (const PhaseSeries& series : top_level_series(base)) {
    const auto match = std::ranges::find(others, series.name, &PhaseSeries::name);
    if (match == others.end()) continue;
    SharedPhase shared{std::string(prefix) + series.name, series.seconds, match->seconds,
                       sampling == Sampling::in_turns};
    if (shared.paired) {
      shared.base.clear();
      shared.other.clear();
      pair_by_repetition(series, *match, shared);
    }
    if (shared.base.empty() || !all_positive(shared.base) || !all_positive(shared.other)) continue;
    all.push_back(std::move(shared));
  }
}

bool same_input(const RunRecord& a, const RunRecord& b) {
  return took_turns(a, b) && a.workload == b.workload && a.until == b.until &&
         a.input.sha256 == b.input.sha256 && a.input.reading == b.input.reading &&
         a.input.entries == b.input.entries;
}

bool comparable(const RunRecord& a, const RunRecord& b) {
  return same_input(a, b) && work_amount(a) == work_amount(b);
}

bool counts(const RunRecord& run) {
  return run.outcome == Outcome::ok && is_verified(run) && run.input.sha256;
}

// Of many systems; empty where a sample took no time.
std::vector<double> seconds_per_system(const RunRecord& run) {
  std::vector<double> seconds = factor_and_solve_seconds(run);
  if (!all_positive(seconds)) return {};
  for (double& value : seconds) value /= static_cast<double>(run.systems->count);
  return seconds;
}

bool is_peer(const RunRecord& run) {
  return run.mode == peer_mode;
}

}  // namespace

bool took_turns(const RunRecord& a, const RunRecord& b) {
  if (!a.sweep || !b.sweep) return a.sweep.has_value() == b.sweep.has_value();
  return a.sweep->invocation == b.sweep->invocation;
}

std::vector<SharedPhase> shared_phases(const RunRecord& base, const RunRecord& other,
                                       Sampling sampling) {
  std::vector<SharedPhase> all;
  add_shared(base.samples, other.samples, sampling, "", all);
  add_shared(base.refactor_samples, other.refactor_samples, Sampling::apart, refactor_prefix, all);
  return all;
}

RatioEstimate compare_phase(const SharedPhase& phase, std::uint64_t seed) {
  return phase.paired ? compare_paired(phase.base, phase.other, seed)
                      : compare_unpaired(phase.base, phase.other, seed);
}

std::vector<Comparison> compare_pair(const RunRecord& base, const RunRecord& other,
                                     std::uint64_t seed) {
  const Sampling sampling = took_turns(base, other) ? Sampling::in_turns : Sampling::apart;
  std::vector<Comparison> comparisons;
  for (const SharedPhase& phase : shared_phases(base, other, sampling)) {
    comparisons.push_back(
        {base.id, other.id, phase.phase, compare_phase(phase, seed), phase.paired});
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
    if (!counts(run)) continue;
    bool first = true;
    for (const RunRecord* base : earlier) {
      if (!comparable(*base, run)) continue;
      if (first || (is_peer(run) && !is_peer(*base))) {
        std::ranges::move(compare_pair(*base, run, seed), std::back_inserter(comparisons));
      }
      first = false;
    }
    earlier.push_back(&run);
  }
  return comparisons;
}

std::vector<Comparison> compare_systems(std::span<const RunRecord> runs, std::uint64_t seed) {
  std::vector<Comparison> comparisons;
  std::vector<const RunRecord*> bases;  // the first of each input
  for (const RunRecord& run : runs) {
    if (!counts(run) || !run.systems || seconds_per_system(run).empty()) continue;
    const auto base = std::ranges::find_if(
        bases, [&](const RunRecord* first) { return same_input(*first, run); });
    if (base == bases.end()) {
      bases.push_back(&run);
    } else if ((*base)->systems->count != run.systems->count) {
      const SharedPhase phase{std::string(per_system_phase), seconds_per_system(**base),
                              seconds_per_system(run)};
      comparisons.push_back(
          {(*base)->id, run.id, phase.phase, compare_phase(phase, seed), phase.paired});
    }
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
          {"verdict", std::string(to_string(comparison.estimate.verdict))},
          {"paired", comparison.paired}};
}

}  // namespace lufact
