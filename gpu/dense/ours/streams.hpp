// SPDX-License-Identifier: BSD-3-Clause
// Two streams that wait for each other, and work on them that is recorded once and launched as one
// CUDA graph.
#pragma once
#include <cuda_runtime_api.h>

#include "core/base/types.hpp"

namespace lufact::gpu::blocked {

// A stream whose blocks start before those of the session's where both wait for room.
class UrgentStream {
 public:
  UrgentStream();
  ~UrgentStream();
  UrgentStream(const UrgentStream&) = delete;
  UrgentStream& operator=(const UrgentStream&) = delete;

  cudaStream_t get() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

// What one stream has done so far, for another to wait for.
class Milestone {
 public:
  Milestone();
  ~Milestone();
  Milestone(const Milestone&) = delete;
  Milestone& operator=(const Milestone&) = delete;

  void reach(cudaStream_t by);
  // For what was reached last.
  void wait(cudaStream_t waiting) const;

 private:
  cudaEvent_t event_ = nullptr;
};

// Kernels that are launched one by one take 3 to 4 us each; from a graph, half of that, and none of
// the host's time.
class RecordedWork {
 public:
  RecordedWork() = default;
  ~RecordedWork();
  RecordedWork(const RecordedWork&) = delete;
  RecordedWork& operator=(const RecordedWork&) = delete;

  bool is_recorded() const noexcept { return graph_ != nullptr; }
  // What `body` puts on the stream, and on others that wait for it and that it waits for.
  template <class Body>
  void record(cudaStream_t stream, const Body& body) {
    begin(stream);
    try {
      body();
    } catch (...) {
      abandon(stream);
      throw;
    }
    end(stream);
  }
  void launch(cudaStream_t stream) const;
  Offset kernels() const noexcept { return kernels_; }

 private:
  static void begin(cudaStream_t stream);
  static void abandon(cudaStream_t stream) noexcept;
  void end(cudaStream_t stream);

  cudaGraphExec_t graph_ = nullptr;
  Offset kernels_ = 0;
};

}  // namespace lufact::gpu::blocked
