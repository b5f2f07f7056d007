// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

#include "gpu/dense/ours/product.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu::blocked {

// cuBLAS's product on one stream in place of ours, to tell what ours costs or gains. The library is
// loaded when one is first asked for, and stays.
class CublasProduct {
 public:
  // Throws Error{unsupported, "no_cublas"} where there is no library, with the loader's reason.
  CublasProduct(DeviceSession& session, cudaStream_t stream);
  ~CublasProduct();
  CublasProduct(const CublasProduct&) = delete;
  CublasProduct& operator=(const CublasProduct&) = delete;

  // As subtract_product(); may be recorded.
  template <class T>
  void subtract(const Product<T>& product) const;

 private:
  Buffer<std::byte> workspace_;  // its own, so that work of two streams can be recorded
  void* handle_;
};

}  // namespace lufact::gpu::blocked
