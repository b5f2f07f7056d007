// SPDX-License-Identifier: BSD-3-Clause
// Products of many rows that are so shallow that memory bounds them: what narrow panels of very
// tall matrices leave to do.
#pragma once
#include "gpu/dense/ours/product.hpp"

namespace lufact::gpu::blocked {

// At least as many rows as make work for every multiprocessor, and a depth that a thread has room
// for. With fewer rows, tiles are the quicker way.
template <class T>
bool is_tall_and_shallow(const Product<T>& product);

// For products that are. Asynchronous, may be recorded; sums are taken in the order of the depth.
template <class T>
void subtract_shallow_product(cudaStream_t stream, const Product<T>& product);

}  // namespace lufact::gpu::blocked
