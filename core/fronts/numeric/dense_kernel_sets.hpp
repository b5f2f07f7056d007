// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/fronts/numeric/dense_kernels.hpp"

namespace lufact {

struct DenseKernelSet {
  DenseKernels<double> in_double;
  DenseKernels<float> in_float;
};

// Constants without constructors: a set may be looked at on a machine that cannot run it.
extern const DenseKernelSet baseline_kernels, avx2_kernels, avx512_kernels;

}  // namespace lufact
