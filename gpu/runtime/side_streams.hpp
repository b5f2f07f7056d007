// SPDX-License-Identifier: BSD-3-Clause
// Streams beside that of a session, for kernels that need not wait for each other.
#pragma once
#include <cuda_runtime_api.h>

#include <vector>

#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

class SideStreams {
 public:
  SideStreams(DeviceSession& session, int count);
  // Joins first, so that memory which is freed afterwards is no longer in use.
  ~SideStreams();
  SideStreams(const SideStreams&) = delete;
  SideStreams& operator=(const SideStreams&) = delete;

  int count() const noexcept { return static_cast<int>(streams_.size()); }
  cudaStream_t stream(int k) const { return streams_.at(static_cast<std::size_t>(k)); }
  // What is put on any of the streams from here on comes after all that is on the session's stream.
  void fork();
  // What is put on the session's stream from here on comes after all that is on these.
  void join();

 private:
  void close() noexcept;

  DeviceSession& session_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> done_;
  cudaEvent_t ready_ = nullptr;
  bool forked_ = false;
};

}  // namespace lufact::gpu
