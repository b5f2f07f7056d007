// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cuda_runtime_api.h>

#include <memory>

#include "gpu/runtime/check.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu::schemes {

// A second stream, for a kernel that runs beside one on the session's.
class SideStream {
 public:
  explicit SideStream(DeviceSession& session) : session_(session) {
    cudaStream_t stream = nullptr;
    LUFACT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    stream_.reset(stream);
    cudaEvent_t event = nullptr;
    LUFACT_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    reached_.reset(event);
  }

  // What follows on it waits for what the session's stream has so far.
  cudaStream_t fork() {
    order(session_.stream(), stream_.get());
    return stream_.get();
  }
  // And the other way.
  void join() { order(stream_.get(), session_.stream()); }

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const { LUFACT_CUDA_NOEXCEPT(cudaStreamDestroy(stream)); }
    void operator()(cudaEvent_t event) const { LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(event)); }
  };

  void order(cudaStream_t before, cudaStream_t after) {
    LUFACT_CUDA(cudaEventRecord(reached_.get(), before));
    LUFACT_CUDA(cudaStreamWaitEvent(after, reached_.get(), 0));
  }

  DeviceSession& session_;
  std::unique_ptr<CUstream_st, Destroy> stream_;
  std::unique_ptr<CUevent_st, Destroy> reached_;
};

}  // namespace lufact::gpu::schemes
