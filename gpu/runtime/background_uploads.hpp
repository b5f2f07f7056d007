// SPDX-License-Identifier: BSD-3-Clause
// Copies to the device beside everything else that the host and the device do: a thread of their
// own brings pageable arrays through pinned pages of its own on a stream of its own.
#pragma once
#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "gpu/runtime/staged_copies.hpp"

namespace lufact::gpu {

class BackgroundUploads {
 public:
  struct Array {
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t bytes = 0;
  };

  // `pinned` has StagedCopies::pinned_bytes and outlives the object.
  BackgroundUploads(int device, void* pinned);
  ~BackgroundUploads();
  BackgroundUploads(const BackgroundUploads&) = delete;
  BackgroundUploads& operator=(const BackgroundUploads&) = delete;

  // Copies the arrays one after the other, behind all work that is on `stream` now. finish() must
  // have been called since the last start().
  void start(std::vector<Array> arrays, cudaStream_t stream);
  // Waits until the host's arrays have been read; all later work on `stream` sees the copies.
  // Returns their bytes, 0 where nothing was started. Throws what the thread threw.
  std::size_t finish(cudaStream_t stream);

 private:
  void work();
  void copy();
  void close() noexcept;

  int device_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::optional<StagedCopies> staged_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // What both threads read and write with the mutex alone; but the arrays while they are copied.
  std::vector<Array> arrays_;
  bool started_ = false, copying_ = false, stop_ = false;
  std::exception_ptr thrown_;
  std::jthread thread_;
};

}  // namespace lufact::gpu
