// SPDX-License-Identifier: BSD-3-Clause
// Measurements from which stages choose, and their text: a line of tab-separated fields for each
// candidate, under the headers `# device`, `# commit` and the names of the fields. Built-in tables
// are made of such files by scripts/batch_table; `--tuning FILE` reads one.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/array/array_stage.hpp"
#include "core/batch/batch_arrays.hpp"

namespace lufact {

class DeviceSession;

struct TunedCandidate {
  ArrayOperation operation = ArrayOperation::lu;
  Precision precision = Precision::float64;
  ArrayLayout layout = ArrayLayout::contiguous;
  Index n = 1;
  Index rhs = 0;       // 0 unless solve
  std::string kernel;  // "thread", or "rows_g8r3": lanes and rows a lane; a step of BATCH: its name
  int matrices_per_block = 1;
  Offset count = 0;     // matrices that were measured
  double median_s = 0;  // of one launch, by events
};

// A candidate whose time is still to be measured.
TunedCandidate candidate_of(const ArrayProblem& problem, std::string kernel,
                            int matrices_per_block);

struct BatchTuning {
  std::string device, commit;
  std::vector<TunedCandidate> candidates;
};

// The quickest, a matrix, of those that are of the problem's operation, precision, layout and order
// and whose kernel `accepts`; null: none is.
const TunedCandidate* best_candidate(const BatchTuning& tuning, const ArrayProblem& problem,
                                     const std::function<bool(const std::string&)>& accepts);

std::string tuning_text(const BatchTuning& tuning);
// Throws Error{error, "bad_tuning"} with the line that it does not understand.
BatchTuning parse_tuning(const std::string& text);
// Of that file; throws the same where it cannot be read.
BatchTuning read_tuning(const std::string& path);
// Throws UsageError: the file has no measurement of the problem.
[[noreturn]] void refuse_tuning(const std::string& path, const ArrayProblem& problem);

// A stage that chooses by measurements.
class TunedStage {
 public:
  virtual ~TunedStage() = default;
  // Its candidates for the problem of the arrays, each measured as gpu::tune_batch says.
  virtual std::vector<TunedCandidate> measure_candidates(DeviceSession& session,
                                                         BatchArrays& arrays,
                                                         int repetitions) const = 0;
};

namespace gpu {

// Every candidate of the stage for the problem of the arrays, which are restored before each of the
// `repetitions` >= 1 launches that are measured: the quickest first. General matrices are meant
// (`random`): with others, kernels may have more or less to do. Throws UsageError where the stage
// does not choose by measurements.
std::vector<TunedCandidate> tune_batch(DeviceSession& session, const ArrayStage& stage,
                                       BatchArrays& arrays, int repetitions);

}  // namespace gpu
}  // namespace lufact
