// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/byte_size.hpp"
#include "core/measure/statistics.hpp"
#include "core/report/summary.hpp"

namespace lufact {
namespace {

using Runs = std::vector<const RunRecord*>;

struct Row {
  std::string label;
  std::vector<std::string> cells;  // one per run; empty: not known
};

using Phases = std::span<const std::string_view>;

// What a foreign program may time beside the phases that count.
constexpr std::array<std::string_view, 2> phases_before{"init", "read"};

struct Unit {
  double seconds;
  std::string_view name;
};

Unit unit_for(double seconds) {
  if (seconds >= 1) return {1, "s"};
  if (seconds >= 1e-3) return {1e-3, "ms"};
  if (seconds >= 1e-6) return {1e-6, "us"};
  return {1e-9, "ns"};
}

// Three significant digits without an exponent.
std::string digits(double value) {
  const int before = value >= 100 ? 3 : value >= 10 ? 2 : 1;
  return fmt::format("{:.{}f}", value, 3 - before);
}

std::string spread_cell(std::span<const double> seconds) {
  const SampleSummary summary = summarize(seconds).value();
  const Unit unit = unit_for(summary.median);
  if (summary.n == 1) return format_seconds(summary.median);
  return fmt::format("{} {} [{}..{}]", digits(summary.median / unit.seconds), unit.name,
                     digits(summary.q1 / unit.seconds), digits(summary.q3 / unit.seconds));
}

std::string series_cell(std::span<const Sample> samples, std::string_view name) {
  for (const PhaseSeries& series : top_level_series(samples)) {
    if (series.name == name) return spread_cell(series.seconds);
  }
  return "";
}

template <class T, class Format>
std::string cell(const std::optional<T>& value, Format format) {
  return value.has_value() ? format(*value) : std::string();
}

std::string count_cell(const std::optional<Offset>& value) {
  return cell(value, [](Offset v) { return fmt::format("{}", v); });
}

std::string nnz_lu_cell(const RunRecord& run) {
  if (run.factors && run.factors->nnz_l && run.factors->nnz_u) {
    return fmt::format("{}", *run.factors->nnz_l + *run.factors->nnz_u);
  }
  return run.peer.has_value() ? count_cell(run.peer->nnz_lu) : "";
}

std::string backward_error_cell(const RunRecord& run) {
  if (!run.verification.has_value()) return "";
  return cell(run.verification->backward_error, [](double v) { return fmt::format("{:.2e}", v); });
}

// In units of 1e9 a second.
std::string rate_cell(std::optional<double> rate) {
  return cell(rate, [](double v) { return fmt::format("{:.4g}", v * 1e-9); });
}

std::string flops_cell(const RunRecord& run) {
  if (run.dense) return rate_cell(run.dense->flops_per_s);
  return run.batch ? rate_cell(run.batch->flops_per_s) : "";
}

std::string bytes_cell(const RunRecord& run) {
  return run.batch ? rate_cell(run.batch->bytes_per_s) : "";
}

std::string growth_cell(const RunRecord& run) {
  if (!run.dense) return "";
  return cell(run.dense->growth, [](double v) { return fmt::format("{:.3g}", v); });
}

std::string copy_fraction_cell(const RunRecord& run) {
  if (!run.batch) return "";
  return cell(run.batch->copy_fraction, [](double v) { return fmt::format("{:.0f}%", 100 * v); });
}

// Collects rows, leaving out those without a cell.
class Rows {
 public:
  explicit Rows(const Runs& runs) : runs_(runs) {}

  template <class Cell>
  void add(std::string label, Cell cell_of) {
    Row row{std::move(label), {}};
    for (const RunRecord* run : runs_) row.cells.push_back(cell_of(*run));
    const auto filled = [](const std::string& text) { return !text.empty(); };
    if (std::any_of(row.cells.begin(), row.cells.end(), filled)) rows_.push_back(std::move(row));
  }
  std::vector<Row> take() { return std::move(rows_); }

 private:
  const Runs& runs_;
  std::vector<Row> rows_;
};

void add_times(Phases counted, Rows& rows) {
  const auto add = [&](std::string label, std::string_view name) {
    rows.add(std::move(label),
             [&](const RunRecord& run) { return series_cell(run.samples, name); });
  };
  for (const Phases phases : {Phases(phases_before), counted}) {
    for (const std::string_view name : phases) add(std::string(name), name);
  }
  add("total", "total_s");
}

std::vector<Row> rows_of(const Runs& runs, Phases counted) {
  Rows rows(runs);
  add_times(counted, rows);
  rows.add("verify (not in total)",
           [](const RunRecord& run) { return series_cell(run.samples, "verify"); });
  rows.add("refactor total",
           [](const RunRecord& run) { return series_cell(run.refactor_samples, "total_s"); });
  rows.add("Gflop/s", flops_cell);
  rows.add("GB/s", bytes_cell);
  rows.add("of copy", copy_fraction_cell);
  rows.add("nnz(L+U)", nnz_lu_cell);
  rows.add("fill ratio", [](const RunRecord& run) {
    return run.factors
               ? cell(run.factors->fill_ratio, [](double v) { return fmt::format("{:.2f}", v); })
               : "";
  });
  rows.add("levels",
           [](const RunRecord& run) { return run.factors ? count_cell(run.factors->levels) : ""; });
  rows.add("peak device memory", [](const RunRecord& run) {
    return cell(run.memory.device_peak_bytes, [](std::uint64_t v) { return format_byte_size(v); });
  });
  rows.add("chunks", [](const RunRecord& run) { return count_cell(run.memory.chunks); });
  rows.add("growth", growth_cell);
  rows.add("backward error", backward_error_cell);
  rows.add("verdict", [](const RunRecord& run) { return std::string(to_string(run.outcome)); });
  return rows.take();
}

constexpr std::size_t gap = 2;

std::vector<std::size_t> column_widths(const std::vector<Row>& rows, std::size_t columns) {
  std::vector<std::size_t> widths(columns, 1);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], row.cells[c].size());
  }
  return widths;
}

// Columns [first, last) of all rows, the labels on the left.
std::string render(const std::vector<Row>& rows, const std::vector<std::size_t>& widths,
                   std::size_t label_width, std::size_t first, std::size_t last) {
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("  {:<{}}", row.label, label_width);
    for (std::size_t c = first; c < last; ++c) {
      const std::string& content = row.cells[c].empty() ? std::string("-") : row.cells[c];
      text += fmt::format("{:>{}}", content, widths[c] + gap);
    }
    text += '\n';
  }
  return text;
}

std::string render_in_width(const std::vector<Row>& rows, std::size_t columns, std::size_t width) {
  std::size_t label_width = 0;
  for (const Row& row : rows) label_width = std::max(label_width, row.label.size());
  const std::vector<std::size_t> widths = column_widths(rows, columns);
  std::string text;
  for (std::size_t first = 0; first < columns;) {
    std::size_t last = first, used = 2 + label_width;
    do {
      used += gap + widths[last++];
    } while (last < columns && used + gap + widths[last] <= width);
    if (first > 0) text += '\n';
    text += render(rows, widths, label_width, first, last);
    first = last;
  }
  return text;
}

// "  who: words", continued on lines that start four columns in.
std::string wrapped(const std::string& message, std::size_t width) {
  std::istringstream words(message);
  std::string text, line = " ", word;
  while (words >> word) {
    if (line.size() + 1 + word.size() > width && line.find_first_not_of(' ') != std::string::npos) {
      text += line + '\n';
      line = "   ";
    }
    line += ' ' + word;
  }
  return text + line + '\n';
}

std::string messages_of(const Runs& runs, std::size_t width) {
  std::string text;
  for (const RunRecord* run : runs) {
    if (run->outcome == Outcome::ok || !run->error.has_value()) continue;
    const std::string phase =
        run->error->phase.has_value() ? fmt::format(" in {}", *run->error->phase) : "";
    text += wrapped(fmt::format("{}: {}{}: {}", run_label(*run), to_string(run->outcome), phase,
                                run->error->message),
                    width);
  }
  return text;
}

std::string block_of(const Runs& runs, Phases counted, std::size_t width) {
  std::string text = runs.front()->input.name;
  const auto& matrix = runs.front()->matrix;
  if (matrix && matrix->n > 0) text += fmt::format("  n {}  nnz {}", matrix->n, matrix->nnz);
  if (runs.front()->batch || runs.front()->dense)
    text += "  " + runs.front()->input.reading.value_or("");
  text += '\n';
  std::vector<Row> rows = rows_of(runs, counted);
  Row titles{"", {}};
  for (const RunRecord* run : runs) titles.cells.push_back(run_label(*run));
  rows.insert(rows.begin(), std::move(titles));
  return text + render_in_width(rows, runs.size(), width) + messages_of(runs, width);
}

bool same_input(const RunRecord& a, const RunRecord& b) {
  return a.input.path == b.input.path && a.input.sha256 == b.input.sha256 &&
         a.input.name == b.input.name;
}

}  // namespace

std::string format_seconds(double seconds) {
  const Unit unit = unit_for(seconds);
  return fmt::format("{} {}", digits(seconds / unit.seconds), unit.name);
}

std::string run_label(const RunRecord& run) {
  if (run.sweep) return run.sweep->variant;
  return run.variant;
}

std::string phase_table(std::span<const RunRecord> runs,
                        std::span<const std::string_view> counted_phases, std::size_t width) {
  std::vector<Runs> blocks;
  for (const RunRecord& run : runs) {
    const auto block = std::find_if(blocks.begin(), blocks.end(), [&](const Runs& candidate) {
      return same_input(*candidate.front(), run);
    });
    if (block == blocks.end()) {
      blocks.push_back({&run});
    } else {
      block->push_back(&run);
    }
  }
  std::string text;
  for (const Runs& block : blocks) {
    if (!text.empty()) text += '\n';
    text += block_of(block, counted_phases, width);
  }
  return text;
}

}  // namespace lufact
