// SPDX-License-Identifier: BSD-3-Clause
// Device arrays of a plug-in, which shares no code with lufact's own device module.
#pragma once
#include <cuda_runtime_api.h>

#include <array>
#include <string>

#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {

inline void cuda_check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  throw Failure(status == cudaErrorMemoryAllocation ? LUFACT_PEER_OOM_DEVICE : LUFACT_PEER_ERROR,
                what + ": " + cudaGetErrorString(status));
}

// Makes the context of a device.
inline void open_device(int device) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || device >= count) {
    throw Failure(LUFACT_PEER_UNSUPPORTED,
                  status != cudaSuccess
                      ? std::string("no CUDA device: ") + cudaGetErrorString(status)
                      : "there is no CUDA device " + std::to_string(device));
  }
  cuda_check(cudaSetDevice(device), "cudaSetDevice");
  cuda_check(cudaFree(nullptr), "context");  // the context is made now, not in the first phase
}

// Bytes copied by the set_ and get_ calls.
struct Traffic {
  std::int64_t h2d = 0, d2h = 0;
};

// Events on the default stream, made when they are first asked for.
class Marks {
 public:
  Marks() = default;
  ~Marks() {
    for (const cudaEvent_t event : events_) {
      if (event != nullptr) cudaEventDestroy(event);
    }
  }
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;

  void set(std::int32_t number) {
    cudaEvent_t& event = events_.at(static_cast<std::size_t>(number));
    if (event == nullptr) cuda_check(cudaEventCreate(&event), "cudaEventCreate");
    cuda_check(cudaEventRecord(event, nullptr), "cudaEventRecord");
  }
  double seconds_between(std::int32_t begin, std::int32_t end) const {
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, events_.at(static_cast<std::size_t>(begin)),
                                    events_.at(static_cast<std::size_t>(end))),
               "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  std::array<cudaEvent_t, LUFACT_PEER_MARKS> events_{};
};

template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  ~DeviceArray() { reset(); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

  // The contents are lost.
  void resize(std::size_t size) {
    if (size == size_) return;
    reset();
    void* memory = nullptr;
    if (size > 0) cuda_check(cudaMalloc(&memory, size * sizeof(T)), "cudaMalloc");
    data_ = static_cast<T*>(memory);
    size_ = size;
  }
  void upload(const T* from, std::size_t size, Traffic& traffic) {
    resize(size);
    cuda_check(cudaMemcpy(data_, from, size * sizeof(T), cudaMemcpyHostToDevice), "upload");
    traffic.h2d += static_cast<std::int64_t>(size * sizeof(T));
  }
  void download(T* to, Traffic& traffic) const {
    cuda_check(cudaMemcpy(to, data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "download");
    traffic.d2h += static_cast<std::int64_t>(size_ * sizeof(T));
  }
  // The same without waiting; page-locked host memory stays as it is until the stream is done.
  void start_upload(const T* from, std::size_t size, Traffic& traffic) {
    resize(size);
    cuda_check(cudaMemcpyAsync(data_, from, size * sizeof(T), cudaMemcpyHostToDevice, nullptr),
               "upload");
    traffic.h2d += static_cast<std::int64_t>(size * sizeof(T));
  }
  void start_download(T* to, Traffic& traffic) const {
    cuda_check(cudaMemcpyAsync(to, data_, size_ * sizeof(T), cudaMemcpyDeviceToHost, nullptr),
               "download");
    traffic.d2h += static_cast<std::int64_t>(size_ * sizeof(T));
  }
  void reset() noexcept {
    if (data_ != nullptr) cudaFree(data_);
    data_ = nullptr;
    size_ = 0;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace lufact::peers
