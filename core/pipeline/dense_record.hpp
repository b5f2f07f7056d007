// SPDX-License-Identifier: BSD-3-Clause
// The section of the record on one large dense matrix.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.hpp"
#include "core/matrix/facts.hpp"

namespace lufact {

// How a solution was refined. `history`: the worst column's ||b - Ax|| / (||A|| ||x|| + ||b||),
// before the first step and after each.
struct RefinementRecord {
  std::string method;  // "classical", or "gmres" where classical steps stagnated
  Offset steps = 0;
  bool full_precision = false;  // a library went back to factors in the precision of the matrix
  std::vector<double> history;
};

// Thread blocks of a grid, as asked for and as they ran.
struct BlocksRecord {
  std::string asked;
  Offset used = 0;
};

struct DenseRecord {
  std::optional<GeneratorFacts> generator;  // of the matrix; the file writes it with its name
  std::string operation;                    // "lu" | "solve"
  Index m = 0, n = 0, rhs = 0;
  std::string pivoting;             // "none" | "partial"
  std::string data;                 // where the matrix is before and after: "device" | "host"
  std::optional<std::string> side;  // that computes: "device" | "host"; empty until it is open
  std::optional<int> block, depth;
  std::optional<BlocksRecord> blocks;
  std::optional<int> threads_per_block;
  std::optional<std::string> product;
  std::string arithmetic;  // of the factors: "double", "float", "tf32", "half", "bfloat"
  std::optional<Offset> launches, grid_barriers;
  std::map<std::string, std::string> settings;  // of the kernels, beside these
  double flops = 0;                             // counted by m, n and rhs, not by what ran
  std::optional<double> flops_per_s;
  std::optional<Offset> info;    // 0, or the first k from 1 with U(k, k) zero
  bool nonfinite = false;        // NaN or Inf in the input: nothing is judged
  std::optional<double> growth;  // max |U| / max |A|
  std::optional<RefinementRecord> refinement;
  // Seconds of phases of one more repetition, by their paths, and of what was measured beside it.
  std::map<std::string, double> profile;
};

}  // namespace lufact
