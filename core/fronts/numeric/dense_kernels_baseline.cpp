// SPDX-License-Identifier: BSD-3-Clause
#define LUFACT_VECTOR_BYTES 16
#include "core/fronts/numeric/dense_kernel_sets.hpp"
#include "core/fronts/numeric/dense_pivoting_impl.hpp"

namespace lufact {

extern const DenseKernelSet baseline_kernels{kernels_of<double>("baseline"),
                                             kernels_of<float>("baseline")};

}  // namespace lufact
