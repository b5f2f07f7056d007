// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/file_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/measure/statistics.hpp"
#include "core/report/record_json.hpp"
#include "core/report/run_header.hpp"
#include "core/report/summary.hpp"

namespace lufact {
namespace {

using Json = nlohmann::ordered_json;

// What a comparison needs of a run, so that files of any version will do.
struct ComparableRun {
  std::string matrix, variant;
  RunRecord record;
  Json counts;  // of the factors
};

// Workload, input, how it was read, until, variant, and which of its like it is.
using RunKey = std::tuple<std::string, std::string, std::string, std::string, std::string, int>;

ComparableRun comparable_run(const Json& json) {
  ComparableRun run;
  run.record = header_from_json(json);
  const auto& sweep = run.record.sweep;
  run.matrix = sweep ? sweep->matrix : run.record.input.name;
  run.variant = sweep ? sweep->variant : run.record.variant;
  for (const Json& sample : json.at("samples")) {
    run.record.samples.push_back(sample_from_json(sample));
  }
  const Json& factors = json.at("factors");
  if (factors.is_null()) return run;
  for (const char* key : {"nnz_l", "nnz_u", "levels"}) run.counts[key] = factors.at(key);
  return run;
}

std::vector<std::pair<RunKey, ComparableRun>> keyed_runs(const Json& file) {
  std::vector<std::pair<RunKey, ComparableRun>> runs;
  std::map<RunKey, int> met;
  for (const Json& json : file.at("runs")) {
    ComparableRun run = comparable_run(json);
    const RunRecord& record = run.record;
    RunKey key{record.workload, run.matrix,  record.input.reading.value_or(""),
               record.until,    run.variant, 0};
    std::get<5>(key) = met[key]++;
    runs.emplace_back(std::move(key), std::move(run));
  }
  return runs;
}

double median_of(const RunRecord& run, const std::string& phase) {
  for (const PhaseSeries& series : top_level_series(run.samples)) {
    if (series.name == phase) return summarize(series.seconds).value().median;
  }
  return 0;
}

class Comparer {
 public:
  explicit Comparer(std::uint64_t seed) : seed_(seed) {}

  void pair(const ComparableRun& a, const ComparableRun& b) {
    const std::string label = fmt::format("{} {}", a.matrix, a.variant);
    if (a.record.input.sha256 != b.record.input.sha256) {
      return note(label, "not compared: the inputs differ (SHA-256)");
    }
    if (a.record.outcome != Outcome::ok || b.record.outcome != Outcome::ok) {
      result_.outcome_lost = result_.outcome_lost || a.record.outcome == Outcome::ok;
      return note(label, fmt::format("not compared: {} in A, {} in B", to_string(a.record.outcome),
                                     to_string(b.record.outcome)));
    }
    if (a.counts != b.counts) {
      note(label,
           fmt::format("the factors differ: {} in A, {} in B", a.counts.dump(), b.counts.dump()));
    }
    for (const Comparison& comparison : compare_pair(a.record, b.record, seed_)) {
      result_.phases.push_back({a.matrix, a.variant, comparison.phase,
                                median_of(a.record, comparison.phase),
                                median_of(b.record, comparison.phase), comparison.estimate});
    }
  }

  void alone(const ComparableRun& run, const char* file) {
    note(fmt::format("{} {}", run.matrix, run.variant), fmt::format("only in {}", file));
  }

  FileComparison take() { return std::move(result_); }

 private:
  void note(const std::string& label, const std::string& text) {
    result_.notes.push_back(label + ": " + text);
  }

  std::uint64_t seed_;
  FileComparison result_;
};

}  // namespace

FileComparison compare_files(const Json& a, const Json& b, std::uint64_t seed) {
  Comparer comparer(seed);
  auto others = keyed_runs(b);
  for (const auto& [key, run] : keyed_runs(a)) {
    const auto match = std::find_if(others.begin(), others.end(),
                                    [&](const auto& other) { return other.first == key; });
    if (match == others.end()) {
      comparer.alone(run, "A");
      continue;
    }
    comparer.pair(run, match->second);
    others.erase(match);
  }
  for (const auto& [key, run] : others) comparer.alone(run, "B");
  return comparer.take();
}

std::vector<PhaseSummary> summarize_phases(const std::vector<ComparedPhase>& phases) {
  std::vector<PhaseSummary> summaries;
  for (const ComparedPhase& phase : phases) {
    auto summary = std::find_if(summaries.begin(), summaries.end(), [&](const PhaseSummary& known) {
      return known.variant == phase.variant && known.phase == phase.phase;
    });
    const double ratio = phase.estimate.ratio;
    if (summary == summaries.end()) {
      summary =
          summaries.insert(summaries.end(), {phase.variant, phase.phase, 0, 0, ratio, ratio, {}});
    }
    ++summary->n;
    ++summary->verdicts[phase.estimate.verdict];
    summary->geometric_mean += std::log(ratio);  // a sum until all are in
    summary->least = std::min(summary->least, ratio);
    summary->largest = std::max(summary->largest, ratio);
  }
  for (PhaseSummary& summary : summaries) {
    summary.geometric_mean = std::exp(summary.geometric_mean / static_cast<double>(summary.n));
  }
  return summaries;
}

}  // namespace lufact
