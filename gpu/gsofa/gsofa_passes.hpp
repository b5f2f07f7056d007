// SPDX-License-Identifier: BSD-3-Clause
// The steps of `gpu-gsofa` on one device, one matrix at a time.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/pipeline/stage.hpp"
#include "gpu/gsofa/gsofa_kernels.hpp"
#include "gpu/gsofa/gsofa_notes_taker.hpp"
#include "gpu/gsofa/gsofa_plan.hpp"
#include "gpu/gsofa/gsofa_visit.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/runtime/growing_memory.hpp"

namespace lufact::gpu {

// What no option sets: smaller in tests, so that small matrices meet it.
struct GsofaLimits {
  MaxIdWord window_top = 0xffffffffU;
  Offset most_spill_entries = GsofaNeeds{}.most_spill_entries;
};

// The matrix as a device has it.
struct GsofaMatrix {
  PatternRef pattern;
  Offset nnz = 0;
};

// What a search has in common with those of the other devices of its node.
class SharedSlots {
 public:
  virtual ~SharedSlots() = default;
  // Behind the words of slot 0, in place of the end of the array.
  virtual MarkWord* fill_end() const = 0;
  // Once a batch is on its way with its rows and their diagonals; `task` may be without a slot.
  virtual void end_batch(const GsofaBatch& batch, const GsofaTask& task,
                         const Offset* diagonal) = 0;
};

// What the plan of a share is made from, on the session's device.
GsofaNeeds gsofa_needs(DeviceSession& session, const GsofaShare& share, const GsofaLimits& limits,
                       const GsofaOptions& options);

// The search of one device.
class GsofaPasses {
 public:
  // Plans the batches and makes the arrays whose size is known. The devices `readers` are to reach
  // the columns.
  GsofaPasses(const GsofaMatrix& matrix, const GsofaShare& share, const GsofaLimits& limits,
              StageContext& context, std::vector<int> readers = {}, SharedSlots* shared = nullptr);

  // All batches: search, row pointers, columns. Frees what it worked with.
  void search();
  // Device memory of the session at the end of the search, before that.
  std::uint64_t bytes_in_use() const noexcept { return bytes_in_use_; }
  // The rows of the share: row k is the one at place k, its columns those of the matrix.
  std::shared_ptr<DeviceColumnPattern> finish();

 private:
  void plan(const GsofaLimits& limits);
  std::shared_ptr<const GsofaReach> find_reach();
  GsofaTask task_of(const GsofaBatch& batch);
  void reinitialise(const GsofaBatch& batch);
  GsofaTally search(GsofaTask& task);
  GsofaTally launch(const GsofaTask& task);
  void use_spill(GsofaTask& task);
  Offset spill_entries() const { return planner_->plan().spill_entries; }
  void write_rows(const GsofaTask& task, Offset nnz);
  void report(Offset rows);
  void release_workspace();

  DeviceSession& session_;
  StageContext& context_;
  const GsofaOptions& options_;
  GsofaKernel kernel_;
  PatternRef matrix_;
  Index mean_degree_ = 1;
  GsofaShare share_;
  std::vector<int> readers_;
  SharedSlots* shared_;
  std::uint64_t budget_bytes_ = 0, bytes_in_use_ = 0;
  std::optional<GsofaPlanner> planner_;
  std::shared_ptr<DeviceColumnPattern> result_;
  std::shared_ptr<GrowingMemory> columns_;
  Buffer<MaxIdWord> array_;
  Buffer<GsofaControl> control_;
  Buffer<GsofaSourceTally> sources_;
  Buffer<Index> spill_;
  Buffer<Offset> reach_;
  GsofaNotesTaker notes_;
};

// All of it on one device: pattern, and supernodes unless the options say off. Throws Error
// {unsupported, "matrix_too_large"} from 2^30 rows on.
std::shared_ptr<DeviceColumnPattern> search_on_one_device(const DevicePermutedMatrix& matrix,
                                                          const GsofaLimits& limits,
                                                          StageContext& context);

}  // namespace lufact::gpu
