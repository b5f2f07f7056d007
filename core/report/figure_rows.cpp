// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/figure_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/byte_size.hpp"
#include "core/base/format_count.hpp"
#include "core/measure/statistics.hpp"
#include "core/report/cells.hpp"
#include "core/report/phase_rates.hpp"

namespace lufact {
namespace {

double seconds_in(const Sample& sample, std::string_view phase) {
  if (phase == "total_s") return sample.total_s;
  double seconds = 0;
  for (const PhaseTime& time : sample.phases) {
    if (time.name == phase) seconds += time.wall_s;
  }
  return seconds;
}

// The median over the samples of the share that the phase has in the total.
std::string share_of_total(const PhaseOfRun& of) {
  static constexpr std::array<std::string_view, 3> not_in_total{"init", "read", "verify"};
  if (std::ranges::find(not_in_total, of.phase) != not_in_total.end()) return "";
  std::vector<double> shares;
  for (const Sample& sample : of.samples) {
    if (sample.total_s > 0) shares.push_back(seconds_in(sample, of.phase) / sample.total_s);
  }
  const auto summary = summarize(shares);
  return summary ? format_percent(summary->median) : "";
}

template <class T, class Format>
std::string text_or_nothing(const std::optional<T>& value, Format format) {
  return value.has_value() ? format(*value) : std::string();
}

std::string count_text(const std::optional<Offset>& value) {
  return text_or_nothing(value, format_count);
}

std::string bytes_text(const std::optional<std::uint64_t>& value) {
  return text_or_nothing(value, [](std::uint64_t bytes) { return format_byte_size(bytes); });
}

// In units of 1e9 a second: "123.4 (12% of peak)".
std::string rate_text(const std::optional<double>& rate, const std::optional<double>& peak_share) {
  const std::string of_peak = text_or_nothing(
      peak_share, [](double share) { return fmt::format(" ({} of peak)", format_percent(share)); });
  return text_or_nothing(rate,
                         [&](double v) { return fmt::format("{:.4g}{}", v * 1e-9, of_peak); });
}

std::string refactor_flops_rate(const RunRecord& run, const MachinePeaks& peaks) {
  const PhaseRate work = rate_of_work(refactor_rates(run, peaks));
  return rate_text(work.flops_per_s, work.flops_peak_share);
}

std::string bytes_rate(const RunRecord& run, const MachinePeaks& peaks) {
  const PhaseRate work = rate_of_work(phase_rates(run, peaks));
  return rate_text(work.bytes_per_s, work.bytes_peak_share);
}

std::string transfer_rate(const RunRecord& run, const MachinePeaks& peaks) {
  const std::vector<PhaseRate> rates = phase_rates(run, peaks);
  const auto transfer = std::ranges::find(rates, "transfer", &PhaseRate::phase);
  return transfer == rates.end() ? "" : rate_text(transfer->bytes_per_s, {});
}

std::string growth(const RunRecord& run) {
  if (!run.dense) return "";
  return text_or_nothing(run.dense->growth, [](double v) { return fmt::format("{:.3g}", v); });
}

std::string share_of_copy(const RunRecord& run) {
  return run.batch ? text_or_nothing(run.batch->copy_fraction, format_percent) : "";
}

// Fronts hold a bound of the pattern.
std::string nnz_text(const RunRecord& run) {
  const std::string count = count_text(nnz_of_factors(run));
  const bool bound = run.factors && run.factors->pattern == "bound";
  return bound && !count.empty() ? count + " (bound)" : count;
}

std::string fill_ratio(const RunRecord& run) {
  if (!run.factors) return "";
  return text_or_nothing(run.factors->fill_ratio,
                         [](double v) { return fmt::format("{:.2f}", v); });
}

std::string levels(const RunRecord& run) {
  return run.factors ? count_text(run.factors->levels) : "";
}

std::string peak_device_memory(const RunRecord& run) {
  return bytes_text(run.memory.device_peak_bytes);
}

// What the driver says that it took, beside what we or a library say.
std::string driver_peak(const RunRecord& run) {
  return run.memory.driver ? bytes_text(run.memory.driver->peak_over_baseline_bytes) : "";
}

std::string chunks(const RunRecord& run) {
  return count_text(run.memory.chunks);
}

// Of a machine that was there.
std::string devices(const RunRecord& run) {
  if (!run.distribution || run.distribution->simulated) return "";
  return format_count(Offset{run.distribution->nodes} * run.distribution->devices_per_node);
}

// The symbolic step on one that was not.
std::string simulated_symbolic(const RunRecord& run) {
  if (!run.distribution) return "";
  return text_or_nothing(run.distribution->simulated_s, [&](double seconds) {
    return fmt::format("{} on {}x{}", format_seconds(seconds), run.distribution->nodes,
                       run.distribution->devices_per_node);
  });
}

std::string systems(const RunRecord& run) {
  return run.systems ? format_count(run.systems->count) : "";
}

// Factored and solved, a second.
std::string systems_rate(const RunRecord& run) {
  if (!run.systems) return "";
  return text_or_nothing(run.systems->systems_per_s,
                         [](double rate) { return fmt::format("{:.4g}", rate); });
}

constexpr PhaseFigure all_phase_figures[] = {
    {4, share_of_total},
};

constexpr RateRow all_rate_rows[] = {
    {"Gflop/s", flops_rate},
    {"GB/s", bytes_rate},
    {"refactor Gflop/s", refactor_flops_rate},
    {"transfer GB/s", transfer_rate},
};

constexpr FigureRow all_figure_rows[] = {
    {"systems", systems},
    {"systems/s", systems_rate},
    {"of copy", share_of_copy},
    {"nnz(L+U)", nnz_text},
    {"fill ratio", fill_ratio},
    {"levels", levels},
    {"device peak", peak_device_memory},
    {"driver peak", driver_peak},
    {"chunks", chunks},
    {"devices", devices},
    {"simulated", simulated_symbolic},
    {"growth", growth},
    {"backward error", backward_error_text},
};

}  // namespace

constinit const std::span<const PhaseFigure> phase_figures = all_phase_figures;
constinit const std::span<const RateRow> rate_rows = all_rate_rows;
constinit const std::span<const FigureRow> figure_rows = all_figure_rows;

std::string flops_rate(const RunRecord& run, const MachinePeaks& peaks) {
  const PhaseRate work = rate_of_work(phase_rates(run, peaks));
  return rate_text(work.flops_per_s, work.flops_peak_share);
}

std::optional<Offset> nnz_of_factors(const RunRecord& run) {
  if (run.factors && run.factors->nnz_l && run.factors->nnz_u) {
    return *run.factors->nnz_l + *run.factors->nnz_u;
  }
  return run.peer ? run.peer->nnz_lu : std::nullopt;
}

std::string backward_error_text(const RunRecord& run) {
  if (!run.verification) return "";
  return text_or_nothing(run.verification->backward_error,
                         [](double v) { return fmt::format("{:.2e}", v); });
}

}  // namespace lufact
