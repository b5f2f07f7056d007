// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/file_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/suggestion.hpp"
#include "core/measure/statistics.hpp"
#include "core/report/record_json.hpp"
#include "core/report/run_header.hpp"
#include "core/report/summary.hpp"
#include "core/report/work_amount.hpp"

namespace lufact {
namespace {

using Json = nlohmann::ordered_json;

// What a comparison needs of a run, so that files of any version will do.
struct ComparableRun {
  std::string matrix, variant;
  std::string label;  // the variant, with the amount of work where that is not one system
  WorkAmount work;
  RunRecord record;
  Json counts;  // of the factors
};

// What runs have in common that differ in their amount of work at most: workload, input, how it
// was read, until, variant.
using TaskKey = std::tuple<std::string, std::string, std::string, std::string, std::string>;

// What runs have in common that are compared: the last is which of its like a run is.
using RunKey = std::tuple<TaskKey, WorkAmount, int>;

// Of runs that were not part of a sweep; those of a sweep have options of their own.
WorkAmount work_asked_of(const Json& file) {
  const Json& config = file.at("config");
  const auto number = [&](const char* key) {
    return config.contains(key) && config.at(key).is_number() ? config.at(key).get<Offset>() : 1;
  };
  return {number("systems"), std::to_string(number("rhs"))};
}

ComparableRun comparable_run(const Json& json, const WorkAmount& asked) {
  ComparableRun run;
  run.record = header_from_json(json);
  const auto& sweep = run.record.sweep;
  run.matrix = sweep ? sweep->matrix : run.record.input.name;
  run.variant = sweep ? sweep->variant : run.record.variant;
  run.work = work_amount(run.record, asked);
  run.label = work_label(run.record, asked);
  for (const Json& sample : json.at("samples")) {
    run.record.samples.push_back(sample_from_json(sample));
  }
  for (const Json& sample : json.at("refactor_samples")) {
    run.record.refactor_samples.push_back(sample_from_json(sample));
  }
  for (const Json& warning : json.at("warnings")) {
    run.record.warnings.push_back(
        {warning.at("code").get<std::string>(), warning.at("message").get<std::string>()});
  }
  const Json& factors = json.at("factors");
  if (factors.is_null()) return run;
  for (const char* key : {"nnz_l", "nnz_u", "levels"}) run.counts[key] = factors.at(key);
  return run;
}

using KeyedRuns = std::vector<std::pair<RunKey, ComparableRun>>;

KeyedRuns keyed_runs(const Json& file) {
  KeyedRuns runs;
  const WorkAmount asked = work_asked_of(file);
  std::map<RunKey, int> met;
  for (const Json& json : file.at("runs")) {
    ComparableRun run = comparable_run(json, asked);
    const RunRecord& record = run.record;
    RunKey key{TaskKey{record.workload, run.matrix, record.input.reading.value_or(""), record.until,
                       run.variant},
               run.work, 0};
    std::get<int>(key) = met[key]++;
    runs.emplace_back(std::move(key), std::move(run));
  }
  return runs;
}

// As the user names a phase of comparisons.hpp.
std::string phase_title(const std::string& phase) {
  if (phase == "total_s") return "total";
  if (phase == std::string(refactor_prefix) + "total_s") return "refactor";
  return phase;
}

// Names as records have them are taken too.
std::set<std::string> titles_of(const std::vector<std::string>& phases) {
  std::set<std::string> titles;
  for (const std::string& phase : phases) titles.insert(phase_title(phase));
  return titles;
}

double median(const std::vector<double>& seconds) {
  return summarize(seconds).value().median;
}

std::string warning_codes(const RunRecord& run) {
  std::set<std::string> codes;
  for (const Warning& warning : run.warnings) codes.insert(warning.code);
  return fmt::format("{}", fmt::join(codes, ", "));
}

std::set<std::string> phase_titles(const RunRecord& run) {
  std::set<std::string> titles;
  for (const PhaseSeries& series : top_level_series(run.samples)) {
    titles.insert(phase_title(series.name));
  }
  for (const PhaseSeries& series : top_level_series(run.refactor_samples)) {
    titles.insert(phase_title(std::string(refactor_prefix) + series.name));
  }
  return titles;
}

class Comparer {
 public:
  explicit Comparer(const ComparisonOptions& options)
      : options_(options), wanted_(titles_of(options.phases)) {}

  void pair(const ComparableRun& a, const ComparableRun& b) {
    const std::string label = label_of(a);
    ++pairs_;
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
    note_warnings(label, a.record, b.record);
    note_phases_of_one(label, a.record, b.record);
    compare(a, b);
  }

  void alone(const ComparableRun& run, const char* file) {
    note(label_of(run), fmt::format("only in {}", file));
  }

  // The same task with another amount of work, which says nothing of which file is faster.
  void of_other_work(const ComparableRun& a, const ComparableRun& b) {
    note(fmt::format("{} {}", a.matrix, a.variant),
         fmt::format("not compared: {} in A, {} in B{}", to_string(a.work), to_string(b.work),
                     rates_of(a, b)));
  }

  FileComparison take() {
    find_faults();
    return std::move(result_);
  }

 private:
  static std::string label_of(const ComparableRun& run) {
    return fmt::format("{} {}", run.matrix, run.label);
  }

  // Systems a second, where both files have them.
  static std::string rates_of(const ComparableRun& a, const ComparableRun& b) {
    const auto rate = [](const ComparableRun& run) {
      const auto& systems = run.record.systems;
      return systems ? systems->systems_per_s : std::nullopt;
    };
    if (!rate(a) || !rate(b)) return "";
    return fmt::format("; {:.4g} systems a second in A, {:.4g} in B", *rate(a), *rate(b));
  }

  bool wants(const std::string& title) const {
    return wanted_.contains("all") || wanted_.contains(title);
  }

  void compare(const ComparableRun& a, const ComparableRun& b) {
    std::size_t fewest = min_samples;
    for (const SharedPhase& phase : shared_phases(a.record, b.record, Sampling::apart)) {
      const std::string title = phase_title(phase.phase);
      found_.insert(title);
      if (!wants(title)) continue;
      ComparedPhase compared{a.matrix,
                             a.label,
                             title,
                             median(phase.base),
                             median(phase.other),
                             compare_phase(phase, options_.seed)};
      compared.estimate.verdict = judge_change(compared.estimate, tolerance(compared));
      fewest = std::min({fewest, phase.base.size(), phase.other.size()});
      result_.phases.push_back(std::move(compared));
    }
    if (fewest == min_samples) return;
    note(label_of(a), fmt::format("a phase has {} samples in one file; no verdict below {}", fewest,
                                  min_samples));
  }

  // The floor as a part of the quicker side's time, where that is more than the threshold.
  double tolerance(const ComparedPhase& phase) const {
    return std::max(options_.threshold,
                    options_.floor_s / std::min(phase.median_a, phase.median_b));
  }

  void note_warnings(const std::string& label, const RunRecord& a, const RunRecord& b) {
    for (const auto& [run, file] : {std::pair{&a, "A"}, std::pair{&b, "B"}}) {
      if (run->warnings.empty()) continue;
      note(label, fmt::format("warnings in {}: {}", file, warning_codes(*run)));
    }
  }

  void note_phases_of_one(const std::string& label, const RunRecord& a, const RunRecord& b) {
    const std::set<std::string> in_a = phase_titles(a), in_b = phase_titles(b);
    for (const auto& [titles, others, file] :
         {std::tuple{&in_a, &in_b, "A"}, std::tuple{&in_b, &in_a, "B"}}) {
      for (const std::string& title : *titles) {
        if (wants(title) && !others->contains(title)) {
          note(label, fmt::format("phase {} only in {}", title, file));
        }
      }
    }
  }

  void find_faults() {
    if (pairs_ == 0) return fault("no run of A is in B: nothing was compared");
    if (found_.empty()) return fault("no run is ok in both files: nothing was compared");
    if (options_.phases_chosen) find_unknown_phases();
    if (!result_.faults.empty()) return;
    const auto judged = [](const ComparedPhase& phase) {
      return phase.estimate.ci_low.has_value();
    };
    if (std::ranges::none_of(result_.phases, judged)) {
      fault(fmt::format("no phase has the {} samples in each file that a verdict takes",
                        min_samples));
    }
  }

  void find_unknown_phases() {
    for (const std::string& title : wanted_) {
      if (title == "all" || found_.contains(title)) continue;
      fault(fmt::format("no run that was compared has a phase \"{}\"{}; there are {}", title,
                        did_you_mean(title, {found_.begin(), found_.end()}),
                        fmt::join(found_, ", ")));
    }
  }

  void note(const std::string& label, const std::string& text) {
    result_.notes.push_back(label + ": " + text);
  }
  void fault(const std::string& text) { result_.faults.push_back(text); }

  const ComparisonOptions& options_;
  std::set<std::string> wanted_, found_;  // titles of phases
  std::size_t pairs_ = 0;
  FileComparison result_;
};

// Takes the first run out whose key is `wanted`.
std::optional<ComparableRun> take_first(KeyedRuns& runs, const auto& wanted) {
  const auto found =
      std::ranges::find_if(runs, [&](const auto& keyed) { return wanted(keyed.first); });
  if (found == runs.end()) return std::nullopt;
  ComparableRun run = std::move(found->second);
  runs.erase(found);
  return run;
}

}  // namespace

FileComparison compare_files(const Json& a, const Json& b, const ComparisonOptions& options) {
  Comparer comparer(options);
  KeyedRuns others = keyed_runs(b);
  KeyedRuns alone;
  for (auto& [key, run] : keyed_runs(a)) {
    const auto partner = take_first(others, [&](const RunKey& other) { return other == key; });
    if (partner) {
      comparer.pair(run, *partner);
    } else {
      alone.emplace_back(key, std::move(run));
    }
  }
  for (const auto& [key, run] : alone) {
    const TaskKey& task = std::get<TaskKey>(key);
    const auto partner =
        take_first(others, [&](const RunKey& other) { return std::get<TaskKey>(other) == task; });
    partner ? comparer.of_other_work(run, *partner) : comparer.alone(run, "A");
  }
  for (const auto& [key, run] : others) comparer.alone(run, "B");
  return comparer.take();
}

bool is_worse(const FileComparison& comparison) {
  const auto slower = [](const ComparedPhase& phase) {
    return phase.estimate.verdict == Verdict::slower;
  };
  return comparison.outcome_lost || !comparison.faults.empty() ||
         std::ranges::any_of(comparison.phases, slower);
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
