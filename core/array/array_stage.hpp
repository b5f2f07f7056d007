// SPDX-License-Identifier: BSD-3-Clause
// The interface of stages on dense matrices: batches of small ones, or one large one. They stand
// beside the stages of the sparse pipeline in the catalogue, in a list of their own.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/array/array_problem.hpp"
#include "core/array/dense_settings.hpp"
#include "core/base/machine.hpp"
#include "core/pipeline/dense_record.hpp"
#include "core/pipeline/notes.hpp"
#include "core/pipeline/stage.hpp"

namespace lufact {

class PhaseRecorder;

// A row of `lufact list`, and what a stage takes.
struct ArrayStageFacts {
  std::string name, description;
  std::string source;    // the folder of its sources, from the root of the checkout
  std::string workload;  // whose command runs it: "batch", "dense"; empty: both (of libraries)
  Side side = Side::host;
  bool deterministic = true;  // the bits of a result are the same in every run
  std::vector<ArrayOperation> operations;
  std::vector<ArrayLayout> layouts;
  std::vector<Precision> precisions{Precision::float64, Precision::float32};
  std::vector<ArrayPivoting> pivoting{ArrayPivoting::partial};
  Index least_order = 1, largest_order = 1;
  std::vector<Index> built_orders{};  // those that this build has; empty: all from least to largest
  std::vector<FactorArithmetic> arithmetics{FactorArithmetic::own};
  DenseTakes dense{};  // of stages on one large matrix
  // Whether its pivots for an inverse are LAPACK's; not where it equilibrates the matrix before.
  bool inverse_has_pivots = true;
  bool chooses_by_measurements = false;  // which `lufact batch --tune` makes
};

// Why a stage does not take a problem, with the values that it accepts; empty: it takes it. An
// order that this build lacks is no such reason: prepare() says `unsupported` for it, as for a
// device.
std::string refusal(const ArrayStageFacts& facts, const ArrayProblem& problem);

// Partial pivoting where it is taken.
ArrayPivoting preferred_pivoting(const ArrayStageFacts& facts);

// When a thread of the paper's kernels moves rows: at every step, or once at the end.
enum class SwapRule { greedy, lazy };
std::string_view to_string(SwapRule rule) noexcept;

// What the user may set; a stage that has no use for an option refuses it.
struct ArrayOptions {
  std::optional<int> matrices_per_block;  // empty: from the stage's table
  std::optional<SwapRule> swap;           // empty: the stage's own
  int threads = 1;                        // of host stages
  std::string tuning_file;                // in place of the built-in table; empty: that
  DenseSettings dense{};
};

struct ArrayContext {
  const ArrayOptions& options;
  std::vector<Choice>& choices;
  std::vector<Warning>& warnings;
  DeviceSession* device = nullptr;  // null for host stages
};

// How a stage runs a problem, for the record; what does not apply is empty.
struct ArrayLaunchFacts {
  std::optional<int> matrices_per_block, lanes, rows_per_lane, registers;
  std::optional<Offset> shared_bytes, resident_warps;
  std::optional<std::string> swap;
  // Of one large matrix. Launches and barriers of one run.
  std::optional<int> block, depth;
  std::optional<BlocksRecord> blocks;
  std::optional<int> threads_per_block;
  std::optional<std::string> product;
  std::optional<Offset> launches, grid_barriers;
  std::map<std::string, std::string> settings;
};

// A problem that is ready to run: kernels loaded and chosen, workspace allocated.
class PreparedArrays {
 public:
  virtual ~PreparedArrays() = default;
  // The first `count` <= problem.count matrices of `operands`; for an interleaved layout `count` is
  // the stride. On a device: puts the work on the session's stream, without waiting. On the host:
  // done on return.
  virtual void run(const ArrayOperands& operands, Offset count) = 0;
  virtual ArrayLaunchFacts launch() const { return {}; }
  // For a record's profile: the run on restored operands once more, as phases of `phases` whose
  // parts are sub-phases; other measurements of the stage are phases beside it. The result is that
  // of run(). Done on return.
  virtual void profile(const ArrayOperands&, PhaseRecorder&) {}
  // Of the last run, where its factors are in lower numbers than the solution.
  virtual std::optional<RefinementRecord> refinement() const { return std::nullopt; }
};

// Throws UsageError where a stage on one large matrix does not take the problem, or the options.
void require_dense(const ArrayStageFacts& facts, const ArrayProblem& problem,
                   const ArrayOptions& options);

class ArrayStage {
 public:
  virtual ~ArrayStage() = default;
  virtual const ArrayStageFacts& facts() const noexcept = 0;
  // Whether it can run on this machine at all. Device stages need machine.device.
  virtual Support supported(const Machine& machine) const;
  // Not timed as work. Throws Error, or UsageError for what refusal() says.
  virtual std::unique_ptr<PreparedArrays> prepare(const ArrayProblem& problem,
                                                  ArrayContext& context) const = 0;
};

}  // namespace lufact
