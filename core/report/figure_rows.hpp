// SPDX-License-Identifier: BSD-3-Clause
// What tables say of a run beside its times: two lists, to which a new figure is added as a line.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/pipeline/record.hpp"

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

// A row below the times.
struct FigureRow {
  std::string_view label;
  std::string (*of)(const RunRecord& run);  // empty: not known
};

extern const std::span<const PhaseFigure> phase_figures;
extern const std::span<const FigureRow> figure_rows;

// Of L and U together.
std::optional<Offset> nnz_of_factors(const RunRecord& run);
std::string backward_error_text(const RunRecord& run);

}  // namespace lufact
