// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/run_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/byte_size.hpp"
#include "core/base/format_count.hpp"
#include "core/measure/statistics.hpp"
#include "core/report/cells.hpp"
#include "core/report/comparisons.hpp"
#include "core/report/figure_rows.hpp"
#include "core/report/speeds.hpp"
#include "core/report/summary.hpp"
#include "core/report/work_amount.hpp"

namespace lufact {
namespace {

using Runs = std::span<const RunRecord>;
using Names = std::vector<std::string>;

// What a foreign program may time beside the phases that count.
constexpr std::array<std::string_view, 2> phases_before{"init", "read"};

bool measured_something(const RunRecord& run) {
  return run.outcome == Outcome::ok || !run.samples.empty() || !run.refactor_samples.empty();
}

std::vector<RunRecord> with_samples(Runs runs) {
  std::vector<RunRecord> chosen;
  std::ranges::copy_if(runs, std::back_inserter(chosen), measured_something);
  return chosen;
}

const PhaseSeries* find_series(const std::vector<PhaseSeries>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &PhaseSeries::name);
  return found == all.end() ? nullptr : &*found;
}

std::optional<double> median_of(std::span<const Sample> samples, std::string_view phase) {
  const auto all = top_level_series(samples);
  const PhaseSeries* series = find_series(all, phase);
  if (series == nullptr) return std::nullopt;
  return summarize(series->seconds).value().median;
}

// Times and what else is known of a phase, each in a part of the cell that has the same width in
// all rows.
std::string time_cell(const RunRecord& run, std::span<const Sample> samples,
                      std::string_view name) {
  const auto all = top_level_series(samples);
  const PhaseSeries* series = find_series(all, name);
  if (series == nullptr) return "";
  std::string text = format_spread(series->seconds);
  for (const PhaseFigure& figure : phase_figures) {
    text += fmt::format(" {:>{}}", figure.of({run, samples, name}), figure.width);
  }
  return text;
}

template <class CellOf>
TableRow row_of(std::string label, Runs runs, CellOf cell_of) {
  TableRow row{std::move(label), {}};
  for (const RunRecord& run : runs) row.cells.push_back({cell_of(run)});
  return row;
}

using SamplesOf = std::vector<Sample> RunRecord::*;

void add_time(std::string label, std::string_view phase, SamplesOf samples, Runs runs,
              std::vector<TableRow>& rows) {
  rows.push_back(row_of(std::move(label), runs,
                        [&](const RunRecord& run) { return time_cell(run, run.*samples, phase); }));
}

using Phases = std::span<const std::string_view>;

void add_times(Phases counted, Runs runs, std::vector<TableRow>& rows) {
  for (const Phases phases : {Phases(phases_before), counted}) {
    for (const std::string_view phase : phases) {
      add_time(std::string(phase), phase, &RunRecord::samples, runs, rows);
    }
  }
  add_time("total", "total_s", &RunRecord::samples, runs, rows);
  add_time("verify (extra)", "verify", &RunRecord::samples, runs, rows);
  for (const std::string_view phase : counted) {
    add_time(fmt::format("refactor {}", phase), phase, &RunRecord::refactor_samples, runs, rows);
  }
  add_time("refactor total", "total_s", &RunRecord::refactor_samples, runs, rows);
}

void add_rates(Runs runs, const MachinePeaks& peaks, std::vector<TableRow>& rows) {
  for (const RateRow& rate : rate_rows) {
    rows.push_back(row_of(std::string(rate.label), runs,
                          [&](const RunRecord& run) { return rate.of(run, peaks); }));
  }
}

void add_figures(Runs runs, std::vector<TableRow>& rows) {
  for (const FigureRow& figure : figure_rows)
    rows.push_back(row_of(std::string(figure.label), runs, figure.of));
}

// "ok (unverified)": the codes of warnings, as many as there is room for.
Cell verdict_cell(const RunRecord& run) {
  constexpr std::size_t shown = 2;
  Names codes;
  for (const Warning& warning : run.warnings) {
    if (std::ranges::find(codes, warning.code) == codes.end()) codes.push_back(warning.code);
  }
  std::ranges::stable_partition(codes,
                                [](const std::string& code) { return code == unverified_code; });
  std::string text(to_string(run.outcome));
  for (std::size_t k = 0; k < std::min(shown, codes.size()); ++k) {
    text += (k == 0 ? " (" : ", ") + codes[k];
  }
  if (codes.size() > shown) text += fmt::format(", +{}", codes.size() - shown);
  if (!codes.empty()) text += ")";
  if (run.outcome != Outcome::ok) return {std::move(text), Tone::bad};
  return {std::move(text), codes.empty() ? Tone::good : Tone::caution};
}

TableRow verdict_row(Runs runs) {
  TableRow row{"verdict", {}};
  for (const RunRecord& run : runs) row.cells.push_back(verdict_cell(run));
  return row;
}

Names labels_of(Runs runs) {
  Names labels;
  for (const RunRecord& run : runs) labels.push_back(work_label(run));
  return labels;
}

// Why runs are not ok, one line for all that have the same reason.
std::vector<Line> failures_of(Runs runs) {
  std::vector<std::pair<std::string, Names>> reasons;
  for (const RunRecord& run : runs) {
    if (run.outcome == Outcome::ok) continue;
    std::string reason(to_string(run.outcome));
    if (run.error && run.error->phase) reason += " in " + *run.error->phase;
    if (run.error) reason += ": " + run.error->message;
    auto found = std::ranges::find(reasons, reason, &std::pair<std::string, Names>::first);
    if (found == reasons.end()) found = reasons.insert(reasons.end(), {std::move(reason), {}});
    found->second.push_back(work_label(run));
  }
  std::vector<Line> lines;
  for (const auto& [reason, names] : reasons) {
    lines.push_back({fmt::format("{}: {}", joined_names(names), reason), Tone::bad});
  }
  return lines;
}

std::vector<Line> unverified_of(Runs runs) {
  Names names;
  for (const RunRecord& run : runs) {
    if (run.outcome == Outcome::ok && !is_verified(run)) names.push_back(work_label(run));
  }
  if (names.empty()) return {};
  return {
      {fmt::format("{}: not verified, and so not compared", joined_names(names)), Tone::caution}};
}

void append(std::vector<Line> lines, std::vector<Line>& all) {
  std::ranges::move(lines, std::back_inserter(all));
}

std::string title_of(Runs runs) {
  const RunRecord& first = runs.front();
  std::string title = first.input.name;
  const auto known = std::ranges::find_if(
      runs, [](const RunRecord& run) { return run.matrix && run.matrix->n > 0; });
  if (known != runs.end()) {
    title += fmt::format("  n {}  nnz {}", format_count(known->matrix->n),
                         format_count(known->matrix->nnz));
  }
  if (first.batch || first.dense) title += "  " + first.input.reading.value_or("");
  return title;
}

Phases counted_phases(const RunRecord& run, const TableContext& context) {
  const auto found = std::ranges::find(context.workloads, run.workload, &WorkloadFacts::name);
  return found == context.workloads.end() ? Phases() : found->counted_phases;
}

bool same_input(const RunRecord& a, const RunRecord& b) {
  return a.input.path == b.input.path && a.input.sha256 == b.input.sha256 &&
         a.input.name == b.input.name;
}

template <class Same>
std::vector<RunsOfInput> grouped(Runs runs, Same same) {
  std::vector<RunsOfInput> groups;
  for (const RunRecord& run : runs) {
    auto group = std::ranges::find_if(
        groups, [&](const RunsOfInput& candidate) { return same(candidate.front(), run); });
    if (group == groups.end()) group = groups.insert(groups.end(), RunsOfInput());
    group->push_back(run);
  }
  return groups;
}

// A column of the tables by variant.
struct TimeColumn {
  std::string title;
  std::string_view phase;
  SamplesOf samples;
};

std::vector<TimeColumn> time_columns(Phases counted) {
  std::vector<TimeColumn> columns;
  for (const std::string_view phase : counted) {
    columns.push_back({std::string(phase), phase, &RunRecord::samples});
  }
  columns.push_back({"total", "total_s", &RunRecord::samples});
  for (const std::string_view phase : counted) {
    columns.push_back({fmt::format("refactor {}", phase), phase, &RunRecord::refactor_samples});
  }
  columns.push_back({"refactor total", "total_s", &RunRecord::refactor_samples});
  return columns;
}

// Of those that are ok, over all rows.
TableRow geometric_means(Runs runs, std::size_t columns_before,
                         const std::vector<TimeColumn>& columns, std::size_t columns_after) {
  TableRow row{"geometric mean", std::vector<Cell>(columns_before)};
  for (const TimeColumn& column : columns) {
    std::vector<double> medians;
    for (const RunRecord& run : runs) {
      if (run.outcome != Outcome::ok) continue;
      const auto median = median_of(run.*column.samples, column.phase);
      if (median && *median > 0) medians.push_back(*median);
    }
    row.cells.push_back({medians.empty() ? "" : format_seconds(geometric_mean(medians))});
  }
  row.cells.resize(row.cells.size() + columns_after);
  return row;
}

std::string count_or_nothing(const std::optional<Offset>& count) {
  return count ? format_count(*count) : "";
}

TableRow row_of_run(const RunRecord& run, const std::vector<TimeColumn>& columns,
                    const MachinePeaks& peaks) {
  TableRow row{run.input.name, {}};
  const bool known = run.matrix && run.matrix->n > 0;
  row.cells.push_back({known ? format_count(run.matrix->n) : ""});
  row.cells.push_back({known ? format_count(run.matrix->nnz) : ""});
  row.cells.push_back({count_or_nothing(nnz_of_factors(run))});
  for (const TimeColumn& column : columns) {
    const auto median = median_of(run.*column.samples, column.phase);
    row.cells.push_back({median ? format_seconds(*median) : ""});
  }
  row.cells.push_back({flops_rate(run, peaks)});
  row.cells.push_back({backward_error_text(run)});
  row.cells.push_back(verdict_cell(run));
  return row;
}

// Rows: inputs; columns: variants; cells: medians of the total of `samples`.
Section totals_section(std::string title, const std::vector<RunsOfInput>& inputs,
                       SamplesOf samples) {
  Section section{std::move(title), {}, {}};
  Names& variants = section.table.columns;
  for (const RunsOfInput& input : inputs) {
    for (const RunRecord& run : input) {
      if (std::ranges::find(variants, work_label(run)) == variants.end()) {
        variants.push_back(work_label(run));
      }
    }
  }
  for (const RunsOfInput& input : inputs) {
    TableRow row{input.front().input.name, std::vector<Cell>(variants.size())};
    for (const RunRecord& run : input) {
      const auto column = std::ranges::find(variants, work_label(run)) - variants.begin();
      const auto median = median_of(run.*samples, "total_s");
      if (run.outcome != Outcome::ok) {
        row.cells[at(column)] = verdict_cell(run);
        row.cells[at(column)].text = to_string(run.outcome);
      } else if (median) {
        row.cells[at(column)] = {format_seconds(*median),
                                 is_verified(run) ? Tone::plain : Tone::caution};
      }
    }
    section.table.rows.push_back(std::move(row));
  }
  return section;
}

bool has_refactorizations(const RunRecord& run) {
  return !run.refactor_samples.empty();
}

}  // namespace

std::vector<RunsOfInput> by_input(Runs runs) {
  return grouped(runs, same_input);
}

Section input_section(Runs runs, const TableContext& context) {
  Section section{title_of(runs), {}, {}};
  const std::vector<RunRecord> shown = with_samples(runs);
  if (!shown.empty()) {
    section.table.columns = labels_of(shown);
    add_times(counted_phases(shown.front(), context), shown, section.table.rows);
    add_rates(shown, context.peaks, section.table.rows);
    add_figures(shown, section.table.rows);
    section.table.rows.push_back(verdict_row(shown));
  }
  append(failures_of(runs), section.lines);
  append(unverified_of(runs), section.lines);
  append(speed_lines(runs, context.seed), section.lines);
  return section;
}

Section variant_section(Runs runs, const TableContext& context) {
  Section section{work_label(runs.front()), {}, {}};
  const std::vector<TimeColumn> columns = time_columns(counted_phases(runs.front(), context));
  Names& titles = section.table.columns;
  titles = {"n", "nnz", "nnz(L+U)"};
  const std::size_t before = titles.size();
  for (const TimeColumn& column : columns) titles.push_back(column.title);
  const std::size_t after = 3;
  titles.insert(titles.end(), {"Gflop/s", "backward error", "verdict"});
  for (const RunRecord& run : runs) {
    section.table.rows.push_back(row_of_run(run, columns, context.peaks));
  }
  if (runs.size() > 1) {
    section.table.rows.push_back(geometric_means(runs, before, columns, after));
  }
  return section;
}

std::vector<Section> summary_sections(Runs runs, const TableContext& context) {
  const std::vector<RunsOfInput> inputs = by_input(runs);
  if (inputs.size() < 2) return {};
  std::vector<Section> sections{totals_section("Totals", inputs, &RunRecord::samples)};
  if (std::ranges::any_of(runs, has_refactorizations)) {
    sections.push_back(
        totals_section("Totals of refactorizations", inputs, &RunRecord::refactor_samples));
  }
  Section means{"Geometric means", {}, speed_means(runs, context.seed)};
  if (!means.lines.empty()) sections.push_back(std::move(means));
  return sections;
}

std::vector<Section> sections_by_input(Runs runs, const TableContext& context) {
  std::vector<Section> sections;
  for (const RunsOfInput& input : by_input(runs)) sections.push_back(input_section(input, context));
  std::ranges::move(summary_sections(runs, context), std::back_inserter(sections));
  return sections;
}

std::vector<Section> sections_by_variant(Runs runs, const TableContext& context) {
  const auto same_variant = [](const RunRecord& a, const RunRecord& b) {
    return work_label(a) == work_label(b) && a.workload == b.workload;
  };
  std::vector<Section> sections;
  for (const RunsOfInput& variant : grouped(runs, same_variant)) {
    sections.push_back(variant_section(variant, context));
  }
  std::ranges::move(summary_sections(runs, context), std::back_inserter(sections));
  return sections;
}

}  // namespace lufact
