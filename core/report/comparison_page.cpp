// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/comparison_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "core/report/cells.hpp"

namespace lufact {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array all_verdicts{Verdict::slower, Verdict::faster, Verdict::same,
                                  Verdict::unclear};

// A text of `json`, or `otherwise` where it is null.
std::string text_or(const Json& json, const char* otherwise) {
  return json.is_null() ? otherwise : json.get<std::string>();
}

std::string interval(const RatioEstimate& estimate) {
  if (!estimate.ci_low || !estimate.ci_high) return "-";
  return fmt::format("{:.3f} to {:.3f}", *estimate.ci_low, *estimate.ci_high);
}

bool has_changed(const ComparedPhase& phase) {
  return phase.estimate.verdict == Verdict::slower || phase.estimate.verdict == Verdict::faster;
}

std::string counts_of(const std::function<std::size_t(Verdict)>& count) {
  std::string text;
  for (const Verdict verdict : all_verdicts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count(verdict), to_string(verdict));
  }
  return text;
}

std::string counts_of(const std::vector<ComparedPhase>& phases) {
  return counts_of([&](Verdict verdict) {
    return static_cast<std::size_t>(std::ranges::count_if(
        phases, [&](const ComparedPhase& phase) { return phase.estimate.verdict == verdict; }));
  });
}

std::string counts_of(const PhaseSummary& summary) {
  return counts_of([&](Verdict verdict) {
    const auto found = summary.verdicts.find(verdict);
    return found == summary.verdicts.end() ? std::size_t{0} : found->second;
  });
}

std::string tolerance_text(const ComparisonOptions& options) {
  return fmt::format("changes below {:g}% or {} do not count", 100 * options.threshold,
                     format_seconds(options.floor_s));
}

bool same_machine(const ComparisonPage& page) {
  return page.a.device == page.b.device && page.a.host == page.b.host;
}

constexpr const char* other_machine =
    "The files come from different machines: ratios compare those too.";

std::string file_line(const ComparedFile& file) {
  return fmt::format("{}, {}; commit {:.12}, {}", file.device, file.host, file.commit,
                     file.started_at);
}

// A text in which nothing ends a cell of a table in Markdown.
std::string in_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

std::string markdown_table(const std::vector<ComparedPhase>& phases) {
  std::string text =
      "| matrix | variant | phase | A | B | A / B | 95% interval | verdict |\n"
      "|---|---|---|--:|--:|--:|---|---|\n";
  for (const ComparedPhase& phase : phases) {
    const bool slower = phase.estimate.verdict == Verdict::slower;
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {:.3f} | {} | {} |\n", in_cell(phase.matrix),
                    in_cell(phase.variant), in_cell(phase.phase), format_seconds(phase.median_a),
                    format_seconds(phase.median_b), phase.estimate.ratio, interval(phase.estimate),
                    slower ? "**slower**" : to_string(phase.estimate.verdict));
  }
  return text;
}

std::string markdown_summaries(const std::vector<ComparedPhase>& phases) {
  std::string text =
      "| variant | phase | geometric mean of A / B | matrices | verdicts "
      "|\n|---|---|--:|--:|---|\n";
  for (const PhaseSummary& summary : summarize_phases(phases)) {
    text += fmt::format("| {} | {} | {:.3f} ({:.3f} to {:.3f}) | {} | {} |\n",
                        in_cell(summary.variant), in_cell(summary.phase), summary.geometric_mean,
                        summary.least, summary.largest, summary.n, counts_of(summary));
  }
  return text;
}

std::string folded(const std::string& title, const std::string& content) {
  return fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n", title, content);
}

std::string text_tables(const std::vector<ComparedPhase>& phases) {
  std::string text;
  const std::string* matrix = nullptr;
  for (const ComparedPhase& phase : phases) {
    if (matrix == nullptr || phase.matrix != *matrix) {
      matrix = &phase.matrix;
      text += fmt::format("\n{:<24} {:<18} {:>10} {:>10} {:>8}  {:<16} {}\n", *matrix, "phase", "A",
                          "B", "ratio", "95% interval", "verdict");
    }
    text += fmt::format("  {:<22} {:<18} {:>10} {:>10} {:>8.3f}  {:<16} {}\n", phase.variant,
                        phase.phase, format_seconds(phase.median_a), format_seconds(phase.median_b),
                        phase.estimate.ratio, interval(phase.estimate),
                        to_string(phase.estimate.verdict));
  }
  return text;
}

std::string text_summaries(const std::vector<ComparedPhase>& phases) {
  std::string text;
  for (const PhaseSummary& summary : summarize_phases(phases)) {
    if (summary.n == 1) continue;  // stands above
    if (text.empty()) text = "\nOver the matrices above\n";
    text +=
        fmt::format("  {:<22} {:<18} geometric mean {:.3f} over n = {} ({:.3f} to {:.3f}): {}\n",
                    summary.variant, summary.phase, summary.geometric_mean, summary.n,
                    summary.least, summary.largest, counts_of(summary));
  }
  return text;
}

}  // namespace

ComparedFile compared_file(const std::string& path, const Json& file) {
  const Json& meta = file.at("meta");
  const Json& device = meta.at("device");
  return {path, device.is_null() ? "no device" : text_or(device.at("name"), "unknown device"),
          text_or(meta.at("host").at("cpu_model"), "unknown CPU"),
          meta.at("lufact").at("git_sha").get<std::string>(),
          meta.at("started_at").get<std::string>()};
}

std::string comparison_text(const ComparisonPage& page) {
  std::string text;
  for (const auto& [label, file] : {std::pair{'A', &page.a}, std::pair{'B', &page.b}}) {
    text += fmt::format("{}  {}: {}\n", label, file->path, file_line(*file));
  }
  if (!same_machine(page)) text += fmt::format("{}\n", other_machine);
  text += fmt::format("ratio = median of A / median of B, all samples: above 1, B is faster; {}\n",
                      tolerance_text(page.options));
  const FileComparison& comparison = page.comparison;
  if (!comparison.phases.empty()) {
    text += text_tables(comparison.phases) + text_summaries(comparison.phases);
  }
  if (!comparison.notes.empty()) text += "\n";
  for (const std::string& note : comparison.notes) text += fmt::format("{}\n", note);
  return text;
}

std::string comparison_markdown(const ComparisonPage& page) {
  const FileComparison& comparison = page.comparison;
  std::vector<ComparedPhase> changed, others;
  for (const ComparedPhase& phase : comparison.phases) {
    (has_changed(phase) ? changed : others).push_back(phase);
  }
  std::string text = fmt::format("**lufact compare:** {}; {}.\n", counts_of(comparison.phases),
                                 tolerance_text(page.options));
  if (comparison.outcome_lost) text += "\n**A run that is ok in A is not ok in B.**\n";
  for (const std::string& fault : comparison.faults) text += fmt::format("\n**{}**\n", fault);
  text += fmt::format("\n- A: `{}`, {}\n- B: `{}`, {}\n", page.a.path, file_line(page.a),
                      page.b.path, file_line(page.b));
  if (!same_machine(page)) text += fmt::format("\n{}\n", other_machine);
  if (!changed.empty()) text += fmt::format("\n{}", markdown_table(changed));
  if (!comparison.phases.empty())
    text += fmt::format("\n{}", markdown_summaries(comparison.phases));
  if (!others.empty()) text += folded("Same or unclear", markdown_table(others));
  std::string notes;
  for (const std::string& note : comparison.notes) notes += fmt::format("- {}\n", note);
  if (!notes.empty()) text += folded("Notes", notes);
  return text;
}

}  // namespace lufact
