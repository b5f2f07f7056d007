// SPDX-License-Identifier: BSD-3-Clause
// The record of one run: the sections of the result file as plain structs. Every std::optional is
// written as null when empty, never left out.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/types.hpp"
#include "core/matrix/facts.hpp"
#include "core/measure/phase_recorder.hpp"

namespace lufact {

struct Warning {
  std::string code, message;
};

struct ErrorRecord {
  std::string code, message;
  std::optional<std::string> phase;
};

// A selector's decision.
struct Choice {
  std::string stage, chosen;
  std::vector<std::string> candidates;
  std::string reason;
};

struct PipelineRecord {
  std::optional<std::string> scaling, ordering, symbolic, levelize, dependency, numeric, solve,
      precision, peer;
  std::optional<bool> postorder;
  std::vector<Choice> choices;
};

struct Sample {
  int repetition = 0;
  double total_s = 0, unattributed_s = 0;
  std::vector<PhaseTime> phases;
};

struct LevelsByRule {
  std::optional<Offset> glu1, exact, relaxed;
};

struct FactorsRecord {
  std::optional<std::string> pattern;  // "exact" | "bound"
  std::optional<std::string> pattern_sha256, levels_sha256, values_sha256;
  std::optional<Offset> nnz_l, nnz_u, nnz_exact, fill_in;
  std::optional<double> fill_ratio, flops, flops_per_nnz;
  std::optional<Offset> levels, max_level_width, supernodes, fronts, tasks;
  std::optional<double> critical_path;
  LevelsByRule levels_by_rule;
};

struct MemoryRecord {
  std::optional<std::uint64_t> budget_bytes, device_peak_bytes, resident_bytes, scratch_peak_bytes,
      managed_peak_bytes, pinned_peak_bytes, host_peak_bytes;
  std::optional<Offset> chunks;
  std::vector<Offset> chunk_sizes;
  std::optional<double> bytes_per_source;
};

struct LevelKernelCounts {
  Offset small_block = 0, large_block = 0, stream = 0;
};

struct NumericRecord {
  std::optional<LevelKernelCounts> level_kernel_counts;
  std::optional<std::string> format;  // "dense" | "sparse"
  std::optional<Offset> parallel_columns;
  double pivot_threshold = 0;
  Offset perturbed_pivots = 0;
  double largest_perturbation = 0;
  std::optional<double> growth;  // max |LU| / max |scaled B|
};

struct VerificationRecord {
  std::string method;
  std::optional<double> backward_error_before_refinement, backward_error, relative_residual,
      componentwise_backward_error, x_norm, x_true_norm, threshold;
  std::optional<int> refinement_steps;
  bool passed = false;
  std::string message;  // why it did not pass
};

struct LevelProfile {
  std::vector<Offset> columns, max_subcolumns;
  std::vector<std::string> kernel_mode;
};

struct FrontierProfile {
  std::vector<Offset> first_row, rows, max_frontier;
  std::vector<double> bytes_per_row;
};

struct ProfileRecord {
  LevelProfile levels;
  FrontierProfile frontier;
};

struct RunRecord {
  std::string id, mode;
  Outcome outcome = Outcome::error;
  std::optional<ErrorRecord> error;
  std::string until;
  MatrixFacts matrix;
  std::optional<Offset> missing_diagonals_added;  // to the matrix that was factored
  PipelineRecord pipeline;
  std::vector<PhaseTime> setup;
  std::vector<Sample> samples, refactor_samples;
  FactorsRecord factors;
  MemoryRecord memory;
  std::optional<NumericRecord> numeric;
  std::optional<VerificationRecord> verification;
  std::optional<ProfileRecord> profile;
  std::vector<Warning> warnings;
};

}  // namespace lufact
