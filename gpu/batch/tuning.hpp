// SPDX-License-Identifier: BSD-3-Clause
// Measurements from which `fast` chooses a kernel, and their text: a line of tab-separated fields
// for each candidate, under the headers `# device`, `# commit` and the names of the fields. The
// built-in table is made of such a file by scripts/batch_table; `--tuning FILE` reads one.
#pragma once
#include <string>
#include <vector>

#include "core/array/array_problem.hpp"
#include "core/batch/batch_arrays.hpp"

namespace lufact {

class DeviceSession;

struct TunedCandidate {
  ArrayOperation operation = ArrayOperation::lu;
  Precision precision = Precision::float64;
  ArrayLayout layout = ArrayLayout::contiguous;
  Index n = 1;
  Index rhs = 0;       // 0 unless solve
  std::string kernel;  // "thread", or "rows_g8r3": lanes and rows a lane
  int matrices_per_block = 1;
  Offset count = 0;     // matrices that were measured
  double median_s = 0;  // of one launch, by events
};

struct BatchTuning {
  std::string device, commit;
  std::vector<TunedCandidate> candidates;
};

std::string tuning_text(const BatchTuning& tuning);
// Throws Error{error, "bad_tuning"} with the line that it does not understand.
BatchTuning parse_tuning(const std::string& text);

namespace gpu {

// Every candidate of `fast` for the problem of the arrays, which are restored before each of the
// `repetitions` >= 1 launches that are measured: the quickest first. General matrices are meant
// (`random`): with others, kernels may have more or less to do.
std::vector<TunedCandidate> tune_batch(DeviceSession& session, BatchArrays& arrays,
                                       int repetitions);

}  // namespace gpu
}  // namespace lufact
