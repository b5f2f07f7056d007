// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/array/array_stage.hpp"

namespace lufact {

// `cpu`: LU, inversion and solves of a batch on the host, one matrix in every lane of a vector.
// Groups of matrices are packed so that equal entries lie side by side, factored by blocks of
// columns with partial pivoting, a lane for itself, and unpacked; threads take groups. The
// instruction set is chosen at run time; the bits of a result are those of the sequential twin
// (core/reference/dense_lu.hpp) under each.
std::unique_ptr<ArrayStage> make_cpu_batch();

}  // namespace lufact
