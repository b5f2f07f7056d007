// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/base/types.hpp"

namespace lufact::gpu::blocked {

// A x = b with the factors of A, all of them by columns on the device.
template <class T>
struct FactoredSystem {
  const T* lu = nullptr;
  Offset ld = 1;
  Index n = 0;
  // As BlockRows has them; null where rows were not exchanged.
  const Index *origin = nullptr, *destination = nullptr;
  int list = 32;
  const std::int32_t* info = nullptr;
  unsigned* words = nullptr;  // chain_words of no content, of one solution at a time
};

// b := A^-1 b for `columns` vectors of length n, one behind the other, few of them in one kernel a
// triangle (chain_solve.hpp), more by blocks of rows; all NaN where *info is not 0. Asynchronous;
// every sum is taken in a fixed order.
template <class T>
void solve_with_factors(cudaStream_t stream, const FactoredSystem<T>& system, T* b, Index columns);

}  // namespace lufact::gpu::blocked
