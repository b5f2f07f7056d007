// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/side_streams.hpp"

#include "gpu/runtime/check.hpp"

namespace lufact::gpu {

SideStreams::SideStreams(DeviceSession& session, int count) : session_(session) {
  try {
    LUFACT_CUDA(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
    for (int k = 0; k < count; ++k) {
      LUFACT_CUDA(
          cudaStreamCreateWithFlags(&streams_.emplace_back(nullptr), cudaStreamNonBlocking));
      LUFACT_CUDA(cudaEventCreateWithFlags(&done_.emplace_back(nullptr), cudaEventDisableTiming));
    }
  } catch (...) {
    close();
    throw;
  }
}

SideStreams::~SideStreams() {
  if (forked_) {
    for (cudaStream_t stream : streams_) LUFACT_CUDA_NOEXCEPT(cudaStreamSynchronize(stream));
  }
  close();
}

void SideStreams::fork() {
  LUFACT_CUDA(cudaEventRecord(ready_, session_.stream()));
  for (cudaStream_t stream : streams_) LUFACT_CUDA(cudaStreamWaitEvent(stream, ready_));
  forked_ = true;
}

void SideStreams::join() {
  for (std::size_t k = 0; k < streams_.size(); ++k) {
    LUFACT_CUDA(cudaEventRecord(done_[k], streams_[k]));
    LUFACT_CUDA(cudaStreamWaitEvent(session_.stream(), done_[k]));
  }
  forked_ = false;
}

void SideStreams::close() noexcept {
  for (cudaStream_t stream : streams_) {
    if (stream != nullptr) LUFACT_CUDA_NOEXCEPT(cudaStreamDestroy(stream));
  }
  for (cudaEvent_t event : done_) {
    if (event != nullptr) LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(event));
  }
  if (ready_ != nullptr) LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(ready_));
}

}  // namespace lufact::gpu
