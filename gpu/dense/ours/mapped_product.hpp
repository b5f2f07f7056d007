// SPDX-License-Identifier: BSD-3-Clause
// Products on cards from 9.0 on whose factors are copied by tensor maps.
#pragma once
#include "gpu/dense/ours/product.hpp"

namespace lufact::gpu::blocked {

// Whether subtract_product() takes this kernel: the card must have the copy unit, both factors
// begin on a boundary of 16 bytes and have a leading dimension that is a multiple of them, and the
// product be large enough for it to pay: at least 132 tiles, one of them whole, and two panels.
// Tiles of doubles are 128 x 64 and panels 16 deep, those of floats 128 x 128 and 32 deep.
template <class T>
bool suits_tensor_maps(const Product<T>& product);

// For products that suit. Asynchronous, may be recorded; sums are taken in a fixed order.
template <class T>
void subtract_mapped_product(cudaStream_t stream, const Product<T>& product);

}  // namespace lufact::gpu::blocked
