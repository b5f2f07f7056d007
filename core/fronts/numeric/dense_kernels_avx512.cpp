// SPDX-License-Identifier: BSD-3-Clause
#define LUFACT_VECTOR_BYTES 64
#include "core/fronts/numeric/dense_kernel_sets.hpp"
#include "core/fronts/numeric/dense_pivoting_impl.hpp"

namespace lufact {

extern const DenseKernelSet avx512_kernels{kernels_of<double>("avx512"),
                                           kernels_of<float>("avx512")};

}  // namespace lufact
