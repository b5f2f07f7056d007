// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/array/array_stage.hpp"

namespace lufact {

// `cpu`: LU of one large matrix on the host, m x n, without pivoting or with LAPACK's partial
// pivoting, by blocks of columns with the kernels of core/fronts on all threads; solves by blocks
// of rows; factors in float refined to double. The same bits for every number of threads.
std::unique_ptr<ArrayStage> make_cpu_dense();

}  // namespace lufact
