// SPDX-License-Identifier: BSD-3-Clause
// The section of the record on a batch of small dense matrices.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.hpp"
#include "core/matrix/facts.hpp"

namespace lufact {

struct BatchSize {
  Index n = 0;
  Offset count = 0;
};

struct BatchInfo {
  Offset zero_pivots = 0, nonfinite = 0;  // matrices with info > 0; with NaN or Inf in the input
  std::optional<Offset> first;            // the first matrix with info > 0
};

// Of the different matrices of a batch that were given, not generated as a kind (core/batch/
// condition_counts.hpp).
struct BatchConditions {
  Offset matrices = 0, singular = 0, near_singular = 0;
};

// Copies and kernels that overlap: how long each kind was busy.
struct StreamingRecord {
  Offset chunks = 0, chunk_matrices = 0;
  double upload_busy_s = 0, compute_busy_s = 0, download_busy_s = 0;
};

struct BatchRecord {
  std::optional<GeneratorFacts> generator;  // of the matrices; the file writes it with their name
  std::string operation;
  std::vector<BatchSize> sizes;
  Offset count = 0;
  Index rhs = 0;
  std::string layout;
  std::optional<Index> ld;  // empty: the order of each matrix
  bool in_place = true;
  std::string data;  // where matrices are before and after: "device" | "pinned" | "host"
  std::optional<std::string> side;  // that computes: "device" | "host"; empty until it is open
  std::optional<std::string> swap;
  std::optional<int> matrices_per_block, lanes, rows_per_lane, registers;
  std::optional<Offset> shared_bytes, resident_warps;
  std::map<std::string, std::string> settings;  // of the kernels, beside these
  std::vector<Index> built_orders;              // those that this build has; empty: all
  double flops = 0, useful_bytes = 0;           // of all matrices
  std::optional<double> flops_per_s, bytes_per_s, copy_fraction;
  BatchInfo info;
  std::optional<BatchConditions> conditions;
  std::optional<StreamingRecord> streaming;
};

// Pivots against those of the sequential twin: equal, another one of nearly the same size, wrong.
struct PivotCheck {
  Offset checked = 0, equal = 0, tied = 0, different = 0;
};

}  // namespace lufact
