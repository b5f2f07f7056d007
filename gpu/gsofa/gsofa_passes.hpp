// SPDX-License-Identifier: BSD-3-Clause
// The steps of `gpu-gsofa`, one matrix at a time.
#pragma once
#include <memory>
#include <optional>

#include "core/pipeline/stage.hpp"
#include "gpu/gsofa/gsofa_kernels.hpp"
#include "gpu/gsofa/gsofa_notes_taker.hpp"
#include "gpu/gsofa/gsofa_plan.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/runtime/growing_memory.hpp"

namespace lufact::gpu {

// What no option sets: smaller in tests, so that small matrices meet it.
struct GsofaLimits {
  MaxIdWord window_top = 0xffffffffU;
  Offset most_spill_entries = Offset{1} << 20;
};

class GsofaPasses {
 public:
  // Plans the batches and makes the arrays whose size is known.
  GsofaPasses(const DevicePermutedMatrix& matrix, const GsofaLimits& limits, StageContext& context);

  // All batches: search, row pointers, columns.
  void search();
  // Unless options.supernodes says off.
  void find_supernodes();
  std::shared_ptr<DeviceColumnPattern> finish();

 private:
  void plan(const GsofaLimits& limits);
  GsofaTask task_of(const GsofaBatch& batch);
  // What the batch's division took over from other parts of the array.
  void initialise(const GsofaBatch& batch);
  GsofaTally search(GsofaTask& task);
  GsofaTally launch(const GsofaTask& task);
  void use_spill(GsofaTask& task);
  Offset spill_entries() const { return planner_->plan().spill_entries; }
  void write_rows(const GsofaTask& task, Offset nnz);
  void report(Offset rows);

  DeviceSession& session_;
  StageContext& context_;
  const GsofaOptions& options_;
  GsofaKernel kernel_;
  PatternRef matrix_;
  std::uint64_t budget_bytes_ = 0;
  std::optional<GsofaPlanner> planner_;
  std::shared_ptr<DeviceColumnPattern> result_;
  std::shared_ptr<GrowingMemory> columns_;
  Buffer<MaxIdWord> array_;
  Buffer<GsofaControl> control_;
  Buffer<GsofaSourceTally> sources_;
  Buffer<Index> spill_;
  GsofaNotesTaker notes_;
};

}  // namespace lufact::gpu
