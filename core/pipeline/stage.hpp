// SPDX-License-Identifier: BSD-3-Clause
// The interfaces of stages. A stage holds no state: its input and the context say all.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/machine.hpp"
#include "core/matrix/facts.hpp"
#include "core/measure/phase_recorder.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/gsofa_notes.hpp"
#include "core/pipeline/notes.hpp"
#include "core/pipeline/options.hpp"
#include "core/pipeline/product.hpp"
#include "core/pipeline/vectors.hpp"

namespace lufact {

// What stages report besides their product; the pipeline puts it into the record.
struct StageNotes {
  // Chunks of rows and how many each has, in order: those of every pass, once where several passes
  // go over the same ones.
  std::optional<Offset> chunks;
  std::vector<Offset> chunk_sizes;
  std::optional<double> bytes_per_source;
  FrontierProfile frontier;
  std::optional<GsofaNotes> gsofa;
  GsofaSources gsofa_sources;
  std::optional<DistributionNotes> distribution;
  std::optional<SupernodeNotes> supernodes;
  std::vector<Choice> choices;
  std::vector<Warning> warnings;
};

// Progress of something long, for a terminal: rows done of rows, chunk of chunks. Cheap to call.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void report(std::string_view what, Offset done, Offset total) = 0;
};

// The device and its memory, opaque outside gpu/.
class DeviceSession;
// Several of them in this process, for stages that take more than one device.
class DeviceTeam;
// Other processes, on this host or on others, for stages that take them.
class RankGroup;
// A, which goes to the device already.
class MatrixAhead;

struct StageContext {
  PhaseRecorder& phases;  // for sub-phases: auto scope = context.phases.scope("count")
  const StageOptions& options;
  StageNotes& notes;
  Progress* progress = nullptr;     // may be null
  DeviceSession* device = nullptr;  // null in a pipeline without device stages
  DeviceTeam* team = nullptr;       // `device` and others; null where there is one device
  RankGroup* ranks = nullptr;       // this process and others; null where it is alone
  // Called by a symbolic stage as soon as nnz(L+U) is known: throws Error{oom_device} where the
  // stages that follow cannot keep their arrays within the budget. May be empty.
  std::function<void(Offset)> check_resident;
  // The factorization that follows may run on the host, where an order with long paths costs
  // little.
  bool host_may_factor = false;
  // Bytes that the products of the stages to come, up to the factors, may take on the device; empty
  // where the run has no such stages.
  std::optional<std::uint64_t> device_room{};
  // The front tree that a device found comes to the host without its entries, which the device
  // places.
  bool entries_stay = false;
  // Contribution blocks have an array of their own, as those of many systems: none is in the place
  // of factors.
  bool blocks_apart = false;
  MatrixAhead* ahead = nullptr;  // null where nothing has gone ahead
};

struct Support {
  bool ok = true;
  std::string reason;  // why not, and what to do
};

// A row of `lufact list`.
struct StageInfo {
  std::string name, description;
  std::string source;  // the folder of its sources, from the root of the checkout: "core/match"
  Side side = Side::host;
  bool deterministic = true;
  std::vector<ProductType> takes;
  ProductType gives;
  std::vector<std::string> solve_methods{};  // numeric stages: first is the default
  bool pivots_in_block = false;    // a numeric stage that takes Pivoting::diagonal_block too
  bool solves_transposed = false;  // a numeric stage whose factors are TransposedFactors
  bool given_labels = false;  // an ordering that was asked for as it is: no postorder unless told
  bool finds_postorder = false;  // a symbolic stage for which `auto` composes no postorder, since
                                 // it relabels by one itself
  bool several_devices = false;  // works on all devices of a team
  bool several_ranks = false;    // works on all ranks of a group
  std::string on_host{};         // a stage of the device: that of the host with the same product
};

class Stage {
 public:
  virtual ~Stage() = default;
  virtual const StageInfo& info() const noexcept = 0;
  // Whether it can run on this machine at all. Device stages need machine.device.
  virtual Support supported(const Machine& machine) const;
};

class ScalingStage : public Stage {
 public:
  // Throws Error{singular_structural} naming unmatched rows unless options.allow_singular.
  virtual Matching run(const CsrMatrix& a, StageContext& context) const = 0;
};

class OrderingStage : public Stage {
 public:
  // `pa` is the pattern of PA, columns ascending, not necessarily with a full diagonal.
  virtual Ordering run(const CsrPattern& pa, StageContext& context) const = 0;
};

// What the work arrays of a symbolic stage take beside the matrix and the pattern.
struct WorkBytes {
  std::uint64_t least = 0;     // it cannot run with less
  std::uint64_t all_rows = 0;  // from here on no row waits for another
  bool managed = false;        // taken from managed memory, not from the device limit
};

class SymbolicStage : public Stage {
 public:
  // For a matrix of n rows, for `describe`; empty where it depends on more than that, or is small.
  virtual std::optional<WorkBytes> work_bytes([[maybe_unused]] Index n) const {
    return std::nullopt;
  }
  virtual ProductPtr run(const ProductPtr& matrix, StageContext& context) const = 0;
  // On every rank but the first: its part of what that one does in run(), with the matrix that
  // comes from there. What it throws, and cannot tell the first rank, ends the group. Only where
  // info().several_ranks.
  virtual void assist(StageContext& context) const;
};

class LevelizeStage : public Stage {
 public:
  virtual ProductPtr run(const ProductPtr& symbolic, StageContext& context) const = 0;
};

struct FactorFigures {
  Precision precision = Precision::float64;
  Offset perturbed_pivots = 0;
  double largest_perturbation = 0;  // largest |new pivot - old pivot|
  // Pivots from another row than the one that stood there; empty where rows are fixed.
  std::optional<Offset> exchanged_rows;
  std::optional<double> growth;  // max |LU| / max |scaled B|
  std::optional<LevelKernelCounts> level_kernel_counts;
  std::optional<std::string> format;          // "dense" | "sparse"
  std::optional<Offset> parallel_columns;     // eliminated at the same time, at most
  std::optional<Offset> max_parallel_blocks;  // E2E's TB_max, where a choice depends on it
  // Where factors are kept on the host and come to the device in parts.
  std::optional<std::uint64_t> host_bytes;
  std::optional<Offset> host_parts;
};

// L and U of row_scale * B * col_scale. Solves are const: they may use workspace of their own.
class Factors : public Product {
 public:
  // x := U \ (L \ x) for every column of x, in the precision of the factors; x is on this side.
  virtual void solve(VectorBlock& x, std::string_view method) const = 0;
  // x := col_scale * (LU \ (row_scale * b)) with the scalings of `matrix`, an approximate B \ b; x
  // may be b. Here solve() between operations of `vectors`; factors for which each of those is a
  // kernel more may scale on the way. The bits are the same.
  virtual void apply(const Product& matrix, VectorBackend& vectors, const VectorBlock& b,
                     VectorBlock& x, std::string_view method) const;
  // The factors of a matrix with the same pattern and new values, in place.
  virtual void refactor(const ProductPtr& matrix, StageContext& context) = 0;
  virtual FactorFigures figures() const = 0;
  // How each level of the schedule was run; empty for factors without levels. Not timed, may copy.
  virtual LevelProfile level_profile() const { return {}; }
  // Hash of all values, in an order that the type documents; not timed, may copy.
  virtual std::string values_sha256() const = 0;
};

class NumericStage : public Stage {
 public:
  virtual std::shared_ptr<Factors> run(const ProductPtr& matrix, const ProductPtr& symbolic,
                                       const ProductPtr& schedule, StageContext& context) const = 0;
  // Bytes that must be held at once from here to the solution, on this stage's side: schedule,
  // factors and the vectors of refinement, beside what the symbolic stage, the right-hand sides and
  // the solution take. For the early check and for `describe`. `n`, entries of B, entries of L + U,
  // right-hand sides.
  virtual std::uint64_t resident_bytes(Index n, Offset nnz, Offset nnz_lu, Index rhs,
                                       Precision precision) const = 0;
};

// Copies a product of one type to the other side. A named phase of the pipeline, never a stage's.
class Transfer {
 public:
  virtual ~Transfer() = default;
  virtual ProductType type() const noexcept = 0;
  virtual Side from() const noexcept = 0;
  virtual Side to() const noexcept = 0;
  virtual ProductPtr run(const ProductPtr& product, StageContext& context) const = 0;
  // `placed`, which came from `product`, with other values of A, one per entry of A's pattern; they
  // alone travel, page-locked ones until the device is idle. Those of `placed` may be overwritten.
  // A wrong number of them is a std::invalid_argument; products without any a std::logic_error.
  virtual ProductPtr run_with_new_values(const Product& product, HostSpan<const double> values_of_a,
                                         const Product& placed, StageContext& context) const;
};

}  // namespace lufact
