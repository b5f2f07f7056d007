// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/chunk_clock.hpp"

#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

double seconds(const std::array<cudaEvent_t, 2>& events) {
  float milliseconds = 0;
  LUFACT_CUDA(cudaEventElapsedTime(&milliseconds, events[0], events[1]));
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace

ChunkClock::ChunkClock(int chunks) : events_(static_cast<std::size_t>(chunks)) {
  try {
    for (ChunkEvents& of_chunk : events_) {
      for (StepEvents& of_step : of_chunk) {
        for (cudaEvent_t& event : of_step) LUFACT_CUDA(cudaEventCreate(&event));
      }
    }
  } catch (...) {
    close();
    throw;
  }
}

ChunkClock::~ChunkClock() {
  close();
}

void ChunkClock::close() noexcept {
  for (const ChunkEvents& of_chunk : events_) {
    for (const StepEvents& of_step : of_chunk) {
      for (const cudaEvent_t event : of_step) {
        if (event != nullptr) LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(event));
      }
    }
  }
}

const ChunkClock::StepEvents& ChunkClock::of(Offset chunk, ChunkStep step) const noexcept {
  return events_[static_cast<std::size_t>(chunk) % events_.size()][static_cast<std::size_t>(step)];
}

void ChunkClock::begin(Offset chunk, ChunkStep step, cudaStream_t stream) {
  LUFACT_CUDA(cudaEventRecord(of(chunk, step)[0], stream));
}

void ChunkClock::end(Offset chunk, ChunkStep step, cudaStream_t stream) {
  LUFACT_CUDA(cudaEventRecord(of(chunk, step)[1], stream));
}

void ChunkClock::wait(Offset chunk, ChunkStep step, cudaStream_t stream) const {
  LUFACT_CUDA(cudaStreamWaitEvent(stream, of(chunk, step)[1], 0));
}

void ChunkClock::finish(Offset chunk, StreamingRecord& record) const {
  LUFACT_CUDA(cudaEventSynchronize(of(chunk, ChunkStep::download)[1]));
  record.upload_busy_s += seconds(of(chunk, ChunkStep::upload));
  record.compute_busy_s += seconds(of(chunk, ChunkStep::compute));
  record.download_busy_s += seconds(of(chunk, ChunkStep::download));
}

}  // namespace lufact::gpu
