// SPDX-License-Identifier: BSD-3-Clause
// Batches whose matrices are in the host's memory before and after: they go through the device in
// chunks, with uploads, kernels and downloads of different chunks at the same time.
#pragma once
#include <cstdint>

#include "core/array/array_problem.hpp"
#include "core/array/array_stage.hpp"
#include "core/pipeline/batch_record.hpp"

namespace lufact::gpu {

class BatchStream {
 public:
  virtual ~BatchStream() = default;
  // What the stage is to be prepared for: the problem of the stream with the matrices of a chunk.
  virtual const ArrayProblem& chunk_problem() const noexcept = 0;
  // Sends all matrices of `host`, arrays of the stream's problem in host memory, through the stage:
  // A, and b for solve, to the device; the result (solve: b), pivots and info back, where they are
  // not null. Done on return. The bits are those that the stage makes of the whole batch at once.
  virtual StreamingRecord run(PreparedArrays& stage, const ArrayOperands& host) = 0;
  // Held on the device.
  virtual std::uint64_t bytes() const noexcept = 0;
};

}  // namespace lufact::gpu
