// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/report/cells.hpp"
#include "core/report/comparisons.hpp"
#include "core/report/run_tables.hpp"
#include "core/report/work_amount.hpp"

namespace lufact {
namespace {

constexpr std::string_view in_total = "total_s";
// Of runs with different numbers of systems, numeric and solve for each of these.
constexpr std::string_view each_system = "each system";

std::string refactor_phase(std::string_view phase) {
  return std::string(refactor_prefix) + std::string(phase);
}

// "faster is 7.0 times as fast as slower  [1.2, 11]", in parts that are aligned with those above.
struct Sentence {
  std::string what, faster, times, slower, remark;
  Tone tone = Tone::plain;
};

// The ratio of the faster over the slower one, with its ends.
struct Advantage {
  bool of_other = true;  // `other` of the comparison is the faster one
  double times = 1;
  std::optional<double> low, high;
};

Advantage advantage_of(const RatioEstimate& estimate) {
  if (estimate.ratio >= 1) return {true, estimate.ratio, estimate.ci_low, estimate.ci_high};
  Advantage inverted{false, 1 / estimate.ratio, std::nullopt, std::nullopt};
  if (estimate.ci_low && estimate.ci_high) {
    inverted.low = 1 / *estimate.ci_high;
    inverted.high = 1 / *estimate.ci_low;
  }
  return inverted;
}

Sentence sentence_of(std::string what, const std::string& base, const std::string& other,
                     const Advantage& advantage) {
  const bool other_first = advantage.of_other;
  return {std::move(what), other_first ? other : base, format_times(advantage.times),
          other_first ? base : other, ""};
}

std::vector<Line> aligned(const std::vector<Sentence>& sentences) {
  std::size_t what = 0, faster = 0, times = 0, slower = 0;
  for (const Sentence& sentence : sentences) {
    what = std::max(what, sentence.what.size());
    faster = std::max(faster, sentence.faster.size());
    times = std::max(times, sentence.times.size());
    slower = std::max(slower, sentence.slower.size());
  }
  std::vector<Line> lines;
  for (const Sentence& s : sentences) {
    lines.push_back(
        {fmt::format("{:<{}}  {:<{}} is {:>{}} times as fast as {:<{}}  {}", s.what, what, s.faster,
                     faster, s.times, times, s.slower, slower, s.remark),
         s.tone});
    std::string& text = lines.back().text;
    text.erase(text.find_last_not_of(' ') + 1);
  }
  return lines;
}

// The speeds of one input that a pair has, by phase.
struct PairOfRuns {
  const RunRecord *base, *other;
  std::map<std::string, RatioEstimate> by_phase;
};

const RunRecord& run_of(std::span<const RunRecord> runs, const std::string& id) {
  return *std::ranges::find(runs, id, &RunRecord::id);
}

std::vector<PairOfRuns> pairs_of(std::span<const RunRecord> runs,
                                 const std::vector<Comparison>& comparisons) {
  std::vector<PairOfRuns> pairs;
  for (const Comparison& comparison : comparisons) {
    const RunRecord& base = run_of(runs, comparison.base_id);
    const RunRecord& other = run_of(runs, comparison.id);
    if (pairs.empty() || pairs.back().base != &base || pairs.back().other != &other) {
      pairs.push_back({&base, &other, {}});
    }
    pairs.back().by_phase.emplace(comparison.phase, comparison.estimate);
  }
  return pairs;
}

std::string interval_of(const Advantage& advantage) {
  if (!advantage.low) return "unclear: too few samples for an interval";
  return fmt::format("[{}, {}]", format_times(*advantage.low), format_times(*advantage.high));
}

// How many times as fast the faster one's phases of a refactorization are: "numeric 2.3, solve
// 0.90".
std::string phases_of_refactorization(const PairOfRuns& pair, const Advantage& advantage) {
  std::string text;
  for (const auto& [phase, estimate] : pair.by_phase) {
    const bool counts = phase.starts_with(refactor_prefix) && phase != refactor_phase(in_total) &&
                        phase != refactor_phase("verify");
    if (!counts) continue;
    const double times = advantage.of_other ? estimate.ratio : 1 / estimate.ratio;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", phase.substr(refactor_prefix.size()),
                        format_times(times));
  }
  return text;
}

void add_speed(const PairOfRuns& pair, std::string what, const std::string& phase,
               std::vector<Sentence>& sentences) {
  const auto found = pair.by_phase.find(phase);
  if (found == pair.by_phase.end()) return;
  const Advantage advantage = advantage_of(found->second);
  Sentence sentence =
      sentence_of(std::move(what), work_label(*pair.base), work_label(*pair.other), advantage);
  sentence.remark = interval_of(advantage);
  const Verdict verdict = found->second.verdict;
  if (verdict == Verdict::same) sentence.remark += " the same";
  if (verdict == Verdict::unclear) {
    if (advantage.low) sentence.remark += " unclear";
    sentence.tone = Tone::faint;
  }
  const std::string phases =
      phase.starts_with(refactor_prefix) ? phases_of_refactorization(pair, advantage) : "";
  if (!phases.empty()) sentence.remark += "  (" + phases + ")";
  sentences.push_back(std::move(sentence));
}

// Ratios of two variants, one an input.
using VariantPair = std::pair<std::string, std::string>;  // base and other
struct MeanSpeed {
  VariantPair pair;
  std::vector<double> ratios;
};

void add_ratio(const VariantPair& pair, double ratio, std::vector<MeanSpeed>& means) {
  auto mean = std::ranges::find(means, pair, &MeanSpeed::pair);
  if (mean == means.end()) mean = means.insert(means.end(), {pair, {}});
  mean->ratios.push_back(ratio);
}

void add_means(const std::string& what, const std::vector<MeanSpeed>& means,
               std::vector<Sentence>& sentences) {
  for (const auto& [pair, ratios] : means) {
    if (ratios.size() < 2) continue;
    const auto [least, largest] = std::ranges::minmax(ratios);
    const Advantage advantage = advantage_of({geometric_mean(ratios), least, largest, {}});
    Sentence sentence = sentence_of(what, pair.first, pair.second, advantage);
    sentence.remark = fmt::format("over {} inputs  [{} to {}]", ratios.size(),
                                  format_times(*advantage.low), format_times(*advantage.high));
    sentences.push_back(std::move(sentence));
  }
}

}  // namespace

std::vector<Line> speed_lines(std::span<const RunRecord> runs, std::uint64_t seed) {
  const std::vector<PairOfRuns> pairs = pairs_of(runs, compare_runs(runs, seed));
  std::vector<Sentence> sentences;
  for (const PairOfRuns& pair : pairs) add_speed(pair, "total", "total_s", sentences);
  for (const PairOfRuns& pair : pairs) {
    add_speed(pair, "refactorization", refactor_phase(in_total), sentences);
  }
  for (const PairOfRuns& pair : pairs_of(runs, compare_systems(runs, seed))) {
    add_speed(pair, std::string(each_system), std::string(per_system_phase), sentences);
  }
  return aligned(sentences);
}

std::vector<Line> speed_means(std::span<const RunRecord> runs, std::uint64_t seed) {
  std::vector<MeanSpeed> totals, refactorizations, systems;
  for (const RunsOfInput& input : by_input(runs)) {
    std::vector<PairOfRuns> pairs = pairs_of(input, compare_runs(input, seed));
    std::ranges::move(pairs_of(input, compare_systems(input, seed)), std::back_inserter(pairs));
    for (const PairOfRuns& pair : pairs) {
      const VariantPair variants(work_label(*pair.base), work_label(*pair.other));
      for (const auto& [phase, estimate] : pair.by_phase) {
        if (phase == per_system_phase) add_ratio(variants, estimate.ratio, systems);
        if (phase == in_total) add_ratio(variants, estimate.ratio, totals);
        if (phase == refactor_phase(in_total)) {
          add_ratio(variants, estimate.ratio, refactorizations);
        }
      }
    }
  }
  std::vector<Sentence> sentences;
  add_means("total", totals, sentences);
  add_means("refactorization", refactorizations, sentences);
  add_means(std::string(each_system), systems, sentences);
  return aligned(sentences);
}

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace lufact
