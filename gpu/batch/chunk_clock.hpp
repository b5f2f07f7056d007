// SPDX-License-Identifier: BSD-3-Clause
// Events around the upload, kernel and download of every chunk: what follows waits for them, and
// they say how long each was busy.
#pragma once
#include <cuda_runtime_api.h>

#include <array>
#include <vector>

#include "core/pipeline/batch_record.hpp"

namespace lufact::gpu {

enum class ChunkStep { upload, compute, download };

class ChunkClock {
 public:
  // Events for so many chunks at a time.
  explicit ChunkClock(int chunks);
  ~ChunkClock();
  ChunkClock(const ChunkClock&) = delete;
  ChunkClock& operator=(const ChunkClock&) = delete;

  int chunks() const noexcept { return static_cast<int>(events_.size()); }
  void begin(Offset chunk, ChunkStep step, cudaStream_t stream);
  void end(Offset chunk, ChunkStep step, cudaStream_t stream);
  // Lets what follows on the stream wait for the end of the step, which has been put on its own.
  void wait(Offset chunk, ChunkStep step, cudaStream_t stream) const;
  // Waits until the chunk is back and adds how long its steps took.
  void finish(Offset chunk, StreamingRecord& record) const;

 private:
  using StepEvents = std::array<cudaEvent_t, 2>;
  using ChunkEvents = std::array<StepEvents, 3>;
  const StepEvents& of(Offset chunk, ChunkStep step) const noexcept;
  void close() noexcept;

  std::vector<ChunkEvents> events_;
};

}  // namespace lufact::gpu
