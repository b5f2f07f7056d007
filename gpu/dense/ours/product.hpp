// SPDX-License-Identifier: BSD-3-Clause
// target -= left * right, all of them parts of matrices stored by columns.
#pragma once
#include <cuda_runtime_api.h>

#include "core/base/types.hpp"

namespace lufact::gpu::blocked {

template <class T>
struct Product {
  const T* left = nullptr;  // rows x depth
  Offset ld_left = 1;
  const T* right = nullptr;  // depth x columns
  Offset ld_right = 1;
  T* target = nullptr;  // rows x columns
  Offset ld_target = 1;
  Index rows = 0, columns = 0, depth = 0;
};

// What factors are rounded to before they are multiplied; sums are taken in T. Other than `own` for
// float alone, on tensor cores of cards from 8.0 on, and for factors aligned to 16 bytes; throws
// std::invalid_argument for others.
enum class ProductNumbers { own, tf32, half, bfloat };

// Own doubles on tensor cores where the card has them. Own numbers: shallow products of very many
// rows by a kernel of their own (shallow_product.hpp), large ones by a kernel for cards from 9.0 on
// where the factors are aligned to 16 bytes (first entry and leading dimension):
// suits_tensor_maps() in mapped_product.hpp has the rule. Asynchronous; every sum is taken in a
// fixed order.
template <class T>
void subtract_product(cudaStream_t stream, const Product<T>& product,
                      ProductNumbers numbers = ProductNumbers::own);

}  // namespace lufact::gpu::blocked
