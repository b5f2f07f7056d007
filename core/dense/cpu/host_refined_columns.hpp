// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/dense/cpu/host_lu.hpp"
#include "core/pipeline/dense_record.hpp"

namespace lufact {

// A x = b in double, column by column.
struct RefinedSystem {
  Index n = 0, columns = 0;
  const double* a = nullptr;  // by columns, `ld` apart
  Offset ld = 0;
  double* b = nullptr;  // columns of length n; overwritten by the solution
};

// Solves in double with factors in float, refined as refine() says. The bits are the same for every
// number of threads.
RefinementRecord solve_refined(HostLu<float>& factors, const RefinedSystem& system, int threads);

}  // namespace lufact
