// SPDX-License-Identifier: BSD-3-Clause
#define LUFACT_VECTOR_BYTES 32
#include "core/fronts/numeric/dense_kernel_sets.hpp"
#include "core/fronts/numeric/dense_pivoting_impl.hpp"

namespace lufact {

extern const DenseKernelSet avx2_kernels{kernels_of<double>("avx2"), kernels_of<float>("avx2")};

}  // namespace lufact
