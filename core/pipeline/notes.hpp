// SPDX-License-Identifier: BSD-3-Clause
// What stages tell of themselves besides their product. The record of a run holds it; stages do not
// know the record.
#pragma once
#include <string>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

struct Warning {
  std::string code, message;
};

// A selector's decision.
struct Choice {
  std::string stage, chosen;
  std::vector<std::string> candidates;
  std::string reason;
};

struct LevelKernelCounts {
  Offset small_block = 0, large_block = 0, stream = 0;
};

struct LevelProfile {
  std::vector<Offset> columns, max_subcolumns;
  std::vector<std::string> kernel_mode;
};

// The ranges of rows with queues, and so chunk sizes, of their own (E2E Algorithm 4): entries of
// each row's queue and chunks in either pass, and the rows whose queue overflowed in the first.
struct FrontierParts {
  std::vector<Offset> first_row, rows, max_frontier, searched_again, count_queue, count_chunks,
      positions_queue, positions_chunks;
};

// One entry a chunk of the first pass (E2E Fig. 3).
struct FrontierProfile {
  std::vector<Offset> first_row, rows, max_frontier, part;
  std::vector<double> bytes_per_row;
  FrontierParts parts;
};

}  // namespace lufact
