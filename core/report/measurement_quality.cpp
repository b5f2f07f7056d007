// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/measurement_quality.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "core/measure/noise.hpp"

namespace lufact {
namespace {

constexpr double percent = 100;
constexpr std::size_t fewest_for_spread = 3;

void add_to(std::optional<double>& sum, const std::optional<double>& part) {
  if (part) sum = sum.value_or(0) + *part;
}

// What all samples saw together.
HostUse use_of(const RunRecord& run) {
  HostUse sum;
  for (const auto* samples : {&run.samples, &run.refactor_samples}) {
    for (const Sample& sample : *samples) {
      if (!sample.host) continue;
      sum.elapsed_s += sample.host->elapsed_s;
      sum.own_s += sample.host->own_s;
      add_to(sum.foreign_s, sample.host->foreign_s);
      add_to(sum.stolen_s, sample.host->stolen_s);
      add_to(sum.waited_s, sample.host->waited_s);
      add_to(sum.throttled_s, sample.host->throttled_s);
      sum.involuntary_switches += sample.host->involuntary_switches;
    }
  }
  return sum;
}

std::optional<double> over(const std::optional<double>& part, double whole) {
  if (!part || !(whole > 0)) return std::nullopt;
  return *part / whole;
}

std::vector<double> totals_of(std::span<const Sample> samples) {
  std::vector<double> totals;
  for (const Sample& sample : samples) totals.push_back(sample.total_s);
  return totals;
}

std::optional<double> in_percent(const std::optional<double>& share) {
  if (!share) return std::nullopt;
  return percent * *share;
}

bool reaches(const std::optional<double>& figure, double limit) {
  return figure && *figure >= limit;
}

bool watched_long_enough(const HostState& host) {
  return reaches(host.watched_s, quality_limits::fewest_seconds_watched);
}

// The more of two figures, as far as they can be believed: the one sees what only processors tell,
// such as other containers, the other short measurements. Empty: too little to warn of.
std::string reason_of_others(const HostState& host, bool ticks_tell) {
  const double ticks = ticks_tell ? host.foreign_processors.value_or(0) : 0;
  const double clocks = watched_long_enough(host) ? host.other_processors.value_or(0) : 0;
  if (std::max(ticks, clocks) < quality_limits::foreign_processors) return "";
  if (ticks > clocks) return fmt::format("others kept {:.1f} of its processors busy", ticks);
  return fmt::format("other processes that may run on its processors kept {:.1f} processors busy",
                     clocks);
}

void warn_of_host(RunRecord& run) {
  if (!run.host_state) return;
  const HostState& host = *run.host_state;
  const bool long_enough = use_of(run).elapsed_s >= quality_limits::fewest_seconds_of_ticks;
  std::vector<std::string> reasons;
  if (std::string others = reason_of_others(host, long_enough); !others.empty()) {
    reasons.push_back(std::move(others));
  }
  if (reaches(host.waited_share, quality_limits::waited_share)) {
    reasons.push_back(
        fmt::format("its threads waited for a processor {:.0f}% of the time that "
                    "they could have run",
                    percent * *host.waited_share));
  }
  if (long_enough && reaches(host.stolen_share, quality_limits::taken_share)) {
    reasons.push_back(fmt::format("the hypervisor took {:.0f}% of the processors' time",
                                  percent * *host.stolen_share));
  }
  if (reaches(host.throttled_share, quality_limits::taken_share)) {
    reasons.push_back(
        fmt::format("the quota of its control group stopped it for {:.0f}% of the "
                    "time",
                    percent * *host.throttled_share));
  }
  if (reasons.empty()) return;
  run.warnings.push_back({"host_busy", fmt::format("while it was measured, {}; times may be too "
                                                   "long: run it on a quieter host",
                                                   fmt::join(reasons, ", and "))});
}

// Who has processors of its own still shares memory, clocks, and cores of two threads.
void warn_of_shared_host(RunRecord& run) {
  if (!run.host_state || !watched_long_enough(*run.host_state)) return;
  const std::optional<double>& elsewhere = run.host_state->other_processors_elsewhere;
  if (!reaches(elsewhere, quality_limits::elsewhere)) return;
  run.warnings.push_back(
      {"host_shared",
       fmt::format("while it was measured, other processes kept {:.1f} processors busy that it may "
                   "not use; they share memory and clocks with it: times may be longer than on a "
                   "quiet host",
                   *elsewhere)});
}

void warn_of_scatter(RunRecord& run, std::span<const Sample> samples, std::string_view what) {
  const std::vector<double> totals = totals_of(samples);
  const auto summary = summarize(totals);
  if (!summary || summary->n < fewest_for_spread) return;
  if (const auto spread = relative_spread(*summary); reaches(spread, quality_limits::spread)) {
    run.warnings.push_back(
        {"noisy", fmt::format("the middle half of the {} is spread over {:.0f}% of the median; "
                              "take more of them (--max-noise) or a quieter host",
                              what, percent * *spread)});
  }
  std::vector<int> numbers;
  double worst = 0;
  for (const std::size_t k : outliers_above(totals)) {
    numbers.push_back(samples[k].repetition);
    worst = std::max(worst, totals[k]);
  }
  if (numbers.empty()) return;
  run.warnings.push_back(
      {"outliers",
       fmt::format("{} of {} {} (number {}) took up to {:.1f} times the median", numbers.size(),
                   totals.size(), what, fmt::join(numbers, ", "), worst / summary->median)});
}

}  // namespace

void set_quality_figures(RunRecord& run) {
  if (run.host_state) {
    HostState& host = *run.host_state;
    const HostUse use = use_of(run);
    host.foreign_processors = over(use.foreign_s, use.elapsed_s);
    host.stolen_share = over(use.stolen_s, use.elapsed_s * host.processors);
    host.waited_share = over(use.waited_s, use.own_s + use.waited_s.value_or(0));
    host.throttled_share = over(use.throttled_s, use.elapsed_s);
    host.involuntary_switches = use.involuntary_switches;
  }
  if (run.sampling) {
    const auto summary = summarize(totals_of(run.samples));
    run.sampling->spread_percent = summary ? in_percent(relative_spread(*summary)) : std::nullopt;
    run.sampling->noise_percent = summary ? in_percent(relative_noise(*summary)) : std::nullopt;
  }
}

void add_quality_warnings(RunRecord& run) {
  warn_of_host(run);
  warn_of_shared_host(run);
  warn_of_scatter(run, run.samples, "repetitions");
  warn_of_scatter(run, run.refactor_samples, "refactorizations");
}

}  // namespace lufact
