// SPDX-License-Identifier: BSD-3-Clause
// Notes of a GSoFa search for the record.
#pragma once
#include "core/pipeline/stage.hpp"
#include "gpu/gsofa/gsofa_kernels.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

class GsofaNotesTaker {
 public:
  // For a matrix of n rows and nnz entries.
  GsofaNotesTaker(Index n, Offset nnz, StageContext& context);

  void add(const GsofaBatch& batch, Index slots, const GsofaTally& tally);
  // The profile, where it was asked for: downloads the counters of all sources of `share`; rows of
  // others count as nothing.
  void add_sources(const Buffer<GsofaSourceTally>& sources, const GsofaShare& share);
  void finish(const GsofaPlan& plan, std::uint64_t budget_bytes);

 private:
  void add_bytes(const GsofaBatch& batch, Index slots);

  Index n_;
  StageContext& context_;
  GsofaNotes notes_;
  double shares_ = 0;  // of n #C, over all iterations
  double source_bytes_ = 0;
};

}  // namespace lufact::gpu
