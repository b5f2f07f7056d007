// SPDX-License-Identifier: BSD-3-Clause
// Options of a run as the pipeline and the stages see them; the command line fills them.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/types.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/gsofa_options.hpp"
#include "core/pipeline/managed_options.hpp"
#include "core/pipeline/pivoting.hpp"
#include "core/rates/rates.hpp"

namespace lufact {

enum class Until { order, symbolic, levelize, numeric, solve };
std::string_view to_string(Until until) noexcept;

enum class VerifyLevel { residual, full, none };
std::string_view to_string(VerifyLevel level) noexcept;

// Pivots below threshold * ||row_scale B col_scale|| (largest row sum) are replaced.
constexpr double default_pivot_threshold(Precision precision) noexcept {
  return precision == Precision::float64 ? 1e-13 : 1e-6;
}

// How a column of GLU 3.0's dense numeric is given to the card (GLU3 section IV).
enum class GluMode { automatic, small_block, large_block, stream };
std::string_view to_string(GluMode mode) noexcept;

// Where the factors of fronts on the GPU are kept: on the device; or on the host, from where they
// come part by part; automatic: on the host where the device has no room for them.
enum class FactorPlace { automatic, device, host };
std::string_view to_string(FactorPlace place) noexcept;

// What a stage may depend on beside its input.
struct StageOptions {
  Precision precision = Precision::float64;
  double pivot_threshold = 1e-13;
  Pivoting pivoting = Pivoting::fixed_rows;
  DependencyRule dependency = DependencyRule::exact;
  bool allow_singular = false;
  std::string permutation_file;  // for ordering `file`
  int symbolic_parts = 2;        // row ranges with a chunk size of their own
  // Words of n that the work arrays of a row are padded to (E2E's c; 6 as published).
  std::optional<int> symbolic_words;
  int threads = 1;                  // OpenMP threads of host stages
  int expect_refactorizations = 0;  // what choices between orderings plan for
  Index rhs = 1;                    // right-hand sides of each solve, which arrays are sized by
  bool transposed = false;          // solves are with the transpose
  ManagedOptions managed;
  SupernodeRule supernodes = SupernodeRule::automatic;
  Index supernode_size = 128;  // the largest, where another stage than GSoFa is behind them
  GsofaOptions gsofa;
  GluMode glu_mode = GluMode::automatic;
  // Level widths from which GLU 3.0 takes the next mode, widest first; default: from the card.
  std::optional<std::array<int, 3>> glu_thresholds;
  // Streams that GLU 3.0's stream mode gives its columns to, with launches for each; 0: one launch
  // for all of them.
  int glu_streams = 0;
  // Columns that numeric stages with levels eliminate at the same time; default: as they choose.
  std::optional<Offset> parallel_columns;
  FactorPlace factors = FactorPlace::automatic;
  bool force_unsafe = false;  // run numeric on a schedule of a rule that it refuses
  Rates rates;                // of the machine, for forecasts and choices
};

}  // namespace lufact
