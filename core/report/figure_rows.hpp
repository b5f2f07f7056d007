// SPDX-License-Identifier: BSD-3-Clause
// What tables say of a run beside its times: three lists, to which a new figure is added as a line.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/pipeline/record.hpp"
#include "core/rates/peaks.hpp"

namespace lufact {

// A phase of the repetitions or of the refactorizations of a run.
struct PhaseOfRun {
  const RunRecord& run;
  std::span<const Sample> samples;
  std::string_view phase;  // "total_s" or a top-level phase
};

// Stands behind the time of a phase: "27%". Empty where it is not known.
struct PhaseFigure {
  std::size_t width;  // in columns; the same in all rows
  std::string (*of)(const PhaseOfRun& phase);
};

// A row below the times: how quickly a run worked.
struct RateRow {
  std::string_view label;
  std::string (*of)(const RunRecord& run, const MachinePeaks& peaks);  // empty: not known
};

// A row below the rates.
struct FigureRow {
  std::string_view label;
  std::string (*of)(const RunRecord& run);  // empty: not known
};

extern const std::span<const PhaseFigure> phase_figures;
extern const std::span<const RateRow> rate_rows;
extern const std::span<const FigureRow> figure_rows;

// In units of 1e9 operations a second, of the phase that computed.
std::string flops_rate(const RunRecord& run, const MachinePeaks& peaks);
// Of L and U together.
std::optional<Offset> nnz_of_factors(const RunRecord& run);
std::string backward_error_text(const RunRecord& run);

}  // namespace lufact
