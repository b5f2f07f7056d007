// SPDX-License-Identifier: BSD-3-Clause
// The product of doubles on cards from 9.0 on whose factors are copied by tensor maps.
#pragma once
#include "gpu/dense/ours/product.hpp"

namespace lufact::gpu::blocked {

// Whether subtract_product() takes this kernel: the card must have the copy unit, both factors
// begin on a boundary of 16 bytes and have an even leading dimension, and the product be large
// enough for it to pay: at least 132 tiles of 128 x 64, one of them whole, and a depth of 32.
bool suits_tensor_maps(const Product<double>& product);

// For products that suit. Asynchronous, may be recorded; sums are taken in a fixed order.
void subtract_mapped_product(cudaStream_t stream, const Product<double>& product);

}  // namespace lufact::gpu::blocked
