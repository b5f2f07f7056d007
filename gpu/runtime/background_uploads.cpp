// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/background_uploads.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/base/affinity.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu {

BackgroundUploads::BackgroundUploads(int device, void* pinned) : device_(device) {
  try {
    LUFACT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (cudaEvent_t* event : {&begin_, &end_}) {
      LUFACT_CUDA(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
    staged_.emplace(pinned, stream_, 1);
    thread_ = std::jthread([this, processors = given_processors()] {
      run_on(processors);
      work();
    });
  } catch (...) {
    close();
    throw;
  }
}

BackgroundUploads::~BackgroundUploads() {
  close();
}

void BackgroundUploads::close() noexcept {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  if (stream_ != nullptr) LUFACT_CUDA_NOEXCEPT(cudaStreamSynchronize(stream_));
  staged_.reset();
  for (const cudaEvent_t event : {begin_, end_}) {
    if (event != nullptr) LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(event));
  }
  if (stream_ != nullptr) LUFACT_CUDA_NOEXCEPT(cudaStreamDestroy(stream_));
}

void BackgroundUploads::start(std::vector<Array> arrays, cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  if (started_) throw std::logic_error("uploads were started before others were finished");
  LUFACT_CUDA(cudaEventRecord(begin_, stream));
  LUFACT_CUDA(cudaStreamWaitEvent(stream_, begin_));
  arrays_ = std::move(arrays);
  started_ = copying_ = true;
  changed_.notify_all();
}

std::size_t BackgroundUploads::finish(cudaStream_t stream) {
  std::unique_lock lock(mutex_);
  if (!started_) return 0;
  changed_.wait(lock, [this] { return !copying_; });
  started_ = false;
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  LUFACT_CUDA(cudaStreamWaitEvent(stream, end_));
  std::size_t bytes = 0;
  for (const Array& array : arrays_) bytes += array.bytes;
  return bytes;
}

void BackgroundUploads::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return copying_ || stop_; });
    if (!copying_) return;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      copy();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_ = thrown;
    copying_ = false;
    changed_.notify_all();
  }
}

void BackgroundUploads::copy() {
  LUFACT_CUDA(cudaSetDevice(device_));
  for (const Array& array : arrays_) {
    const auto* const from = static_cast<const std::byte*>(array.from);
    staged_->upload(array.to, array.bytes,
                    [from](std::byte* stage, std::size_t first, std::size_t some) {
                      std::memcpy(stage, from + first, some);
                    });
  }
  LUFACT_CUDA(cudaEventRecord(end_, stream_));
}

}  // namespace lufact::gpu
