// SPDX-License-Identifier: BSD-3-Clause
// The record of one run: the sections of the result file as plain structs. Every std::optional is
// written as null when empty, never left out.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/types.hpp"
#include "core/matrix/facts.hpp"
#include "core/measure/driver_memory.hpp"
#include "core/measure/host_counters.hpp"
#include "core/measure/host_state.hpp"
#include "core/measure/phase_recorder.hpp"
#include "core/measure/unified_memory.hpp"
#include "core/pipeline/batch_record.hpp"
#include "core/pipeline/dense_record.hpp"
#include "core/pipeline/gsofa_notes.hpp"
#include "core/pipeline/notes.hpp"
#include "core/pipeline/refactoring.hpp"
#include "core/pipeline/sampling_record.hpp"
#include "core/pipeline/systems_record.hpp"

namespace lufact {

struct ErrorRecord {
  std::string code, message;
  std::optional<std::string> phase;
};

struct PipelineRecord {
  std::optional<std::string> scaling, ordering, symbolic, levelize, dependency, numeric, solve,
      precision, peer;
  std::optional<bool> postorder;
  std::vector<Choice> choices;
};

// A foreign solver: what ran, with which settings, and what it says of its factors.
struct PeerRecord {
  std::optional<std::string> library, version;
  std::optional<int> threads;
  std::map<std::string, std::string> settings;
  std::map<std::string, std::string> fused;  // step: the step that does it as well
  std::optional<Offset> nnz_lu;              // of L and U together, as the library counts
  std::optional<Offset> perturbed_pivots;
};

struct Sample {
  int repetition = 0;
  double total_s = 0, unattributed_s = 0;
  std::vector<PhaseTime> phases;
  std::optional<HostUse> host{};  // from its beginning to its end, verification included
};

struct LevelsByRule {
  std::optional<Offset> glu1, exact, relaxed;
};

struct FactorsRecord {
  std::optional<std::string> pattern;  // "exact" | "bound"
  std::optional<std::string> pattern_sha256, levels_sha256, values_sha256;
  std::optional<std::string> pivots_sha256;  // of a batch
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
  // Of factors that are kept on the host and come to the device in parts; null where they stay on
  // the device.
  std::optional<std::uint64_t> factors_host_bytes{};
  std::optional<Offset> factors_parts{};
  std::optional<DriverMemoryRecord> driver{};  // of --count-device-memory
};

// A pivot that may be what a solution failed by.
struct SuspectPivot {
  Offset row = 0, column = 0;  // as in the file, from 1
  double size = 0;             // of the scaled matrix's largest row sum
};

struct NumericRecord {
  std::optional<LevelKernelCounts> level_kernel_counts;
  std::optional<std::string> format;          // "dense" | "sparse"
  std::optional<Offset> parallel_columns;     // eliminated at the same time, at most
  std::optional<Offset> max_parallel_blocks;  // E2E's TB_max, where a choice depends on it
  std::string pivoting = "static";            // | "diagonal-block"
  double pivot_threshold = 0;
  Offset perturbed_pivots = 0;
  double largest_perturbation = 0;
  std::optional<Offset> exchanged_rows;  // null with static pivoting
  std::optional<double> growth;          // max |LU| / max |scaled B|
  std::optional<int> replans;            // times that the run was planned again
  std::optional<Offset> delayed_pivots;  // in the last of its plans
  // The weakest ten, the smallest first, where the solution failed; empty where they are not known.
  std::vector<SuspectPivot> suspect_pivots;
};

struct VerificationRecord {
  std::string method;
  std::optional<double> backward_error_before_refinement, backward_error, relative_residual,
      componentwise_backward_error, x_norm, x_true_norm, threshold;
  std::optional<int> refinement_steps;
  // Of batches: matrices checked, the worst one, and how many pivots were as the twin's.
  std::optional<Offset> matrices_checked, worst_matrix;
  std::optional<PivotCheck> pivots;
  bool passed = false;
  std::string message;  // why it did not pass
};

struct ProfileRecord {
  LevelProfile levels;
  FrontierProfile frontier;
  GsofaSources sources;
};

// Where a run stands in a sweep, so that scripts can tell settings apart and a resumed sweep knows
// what it need not do again.
struct SweepRecord {
  std::string name;                            // of the sweep
  std::string matrix, variant;                 // their names in its configuration; matrix: input
  std::map<std::string, std::string> options;  // as on the command line; what is not named: default
  std::optional<std::string> stand_in_for;     // the published matrix whose place this one takes
  std::string environment;                     // hash of program, host and device
  std::string invocation;                      // when the invocation that made the run started
  std::optional<std::string> finished_at;
  std::optional<double> elapsed_s;  // of this run alone: reading, warm-up and verification included
};

// What a run was given, a matrix file or something else: enough to tell whether two runs had the
// same.
struct InputRecord {
  std::string name;                    // in tables; of a file: without its endings
  std::optional<std::string> path;     // as typed; empty where there is no file
  std::optional<std::string> sha256;   // of the file's bytes, or of what it is generated from
  std::optional<std::string> reading;  // how it was read, where that can be chosen
  std::optional<Offset> entries;       // used; empty until it has been opened
};

// A header that every workload fills, and sections that are empty where they do not apply.
struct RunRecord {
  std::string id;
  std::string workload;       // "sparse"
  std::string mode, variant;  // variant: what the run is called beside others on its input
  InputRecord input;
  Outcome outcome = Outcome::error;
  std::optional<ErrorRecord> error;
  std::string until;
  std::vector<PhaseTime> setup;
  std::vector<Sample> samples, refactor_samples;
  std::optional<SamplingRecord> sampling;
  std::optional<RefactoringRecord> refactoring;  // null where there was none
  MemoryRecord memory;
  std::optional<VerificationRecord> verification;
  std::optional<HostState> host_state;
  std::vector<Warning> warnings;
  std::optional<SweepRecord> sweep;
  std::optional<std::string> environment;  // hash of program, host and device, as in `sweep`

  // Sections of the sparse workload.
  std::optional<MatrixFacts> matrix;
  std::optional<Offset> missing_diagonals_added;  // to the matrix that was factored
  std::optional<PipelineRecord> pipeline;
  std::optional<PeerRecord> peer;
  std::optional<FactorsRecord> factors;
  std::optional<UnifiedMemoryRecord> unified_memory;
  std::optional<NumericRecord> numeric;
  std::optional<ProfileRecord> profile;
  std::optional<GsofaNotes> gsofa;
  std::optional<SupernodeNotes> supernodes;
  std::optional<DistributionNotes> distribution;  // null where one device did it all
  std::optional<SystemsRecord> systems;           // null for one system at a time

  // Sections of the batch and the dense workload.
  std::optional<BatchRecord> batch;
  std::optional<DenseRecord> dense;
};

// The mode of every foreign solver.
inline constexpr std::string_view peer_mode = "peer";

}  // namespace lufact
