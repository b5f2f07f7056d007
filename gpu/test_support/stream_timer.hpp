// SPDX-License-Identifier: BSD-3-Clause
// Device time, for benchmarks.
#pragma once
#include <cuda_runtime_api.h>

#include <functional>

#include "gpu/runtime/check.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

class StreamTimer {
 public:
  StreamTimer() {
    LUFACT_CUDA(cudaEventCreate(&begin_));
    LUFACT_CUDA(cudaEventCreate(&end_));
  }
  ~StreamTimer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  StreamTimer(const StreamTimer&) = delete;
  StreamTimer& operator=(const StreamTimer&) = delete;

  // Microseconds from before the first thing that `work` puts into the stream to after its last.
  double time(DeviceSession& session, const std::function<void()>& work) const {
    session.synchronize();
    LUFACT_CUDA(cudaEventRecord(begin_, session.stream()));
    work();
    LUFACT_CUDA(cudaEventRecord(end_, session.stream()));
    LUFACT_CUDA(cudaEventSynchronize(end_));
    float ms = 0;
    LUFACT_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    return 1e3 * static_cast<double>(ms);
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace lufact::gpu
