// SPDX-License-Identifier: BSD-3-Clause
// Arrays of addresses on the device for libraries that take batches by pointers.
#pragma once
#include "baselines/peers/plugins/array_plugin.hpp"
#include "baselines/peers/plugins/cuda_arrays.hpp"

namespace lufact::peers {

// The addresses of a problem's matrices, on the device: the caller's own, or made and uploaded.
template <class T>
class DeviceAddresses {
 public:
  // `base` is entries or an array of addresses, as the layout says.
  void prepare(const lufact_array_problem& problem, void* base, std::int64_t stride) {
    if (problem.layout == LUFACT_ARRAY_POINTERS) {
      made_.reset();
      data_ = static_cast<T**>(base);
      return;
    }
    Traffic untimed;
    const auto host = addresses<T>(base, stride, problem.count);
    made_.upload(host.data(), host.size(), untimed);
    data_ = made_.data();
  }
  T** data() const noexcept { return data_; }
  std::int64_t bytes() const noexcept {
    return static_cast<std::int64_t>(made_.size() * sizeof(T*));
  }

 private:
  DeviceArray<T*> made_;
  T** data_ = nullptr;
};

inline void wait_for(void* stream) {
  cuda_check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "cudaStreamSynchronize");
}

}  // namespace lufact::peers
