// SPDX-License-Identifier: BSD-3-Clause
// The recursive and the hybrid scheme of DENSE (sections 3 and 4, Fig. 2). A level factors the
// first b x b block by an iterative scheme, finds U01 = L00^-1 A01, a thread a column, and L10 =
// A10 U00^-1, a thread a row, by two kernels that run at the same time, and subtracts L10 U01 from
// A11 (equation 6; the text leaves it out); the rest is the matrix of the next level. Each level
// passes once over the rest, where the iterative schemes pass b times.
#pragma once
#include <memory>

#include "core/array/dense_settings.hpp"
#include "gpu/dense/schemes/factorization.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu::schemes {

struct RecursionSettings {
  int block = 32;
  Index levels = 0;  // before what is left is factored by the iterative scheme
  DenseBase base = DenseBase::skr;
  DenseProduct product = DenseProduct::own;
  DenseTriangular triangular = DenseTriangular::columns;
  GridRequest grid{};  // the most blocks of every kernel
};

// The base factors the blocks, by as many thread blocks as they have rows at most, and what is
// left.
template <class Real>
std::unique_ptr<Factorization<Real>> make_recursion(DeviceSession& session,
                                                    const RecursionSettings& settings);

}  // namespace lufact::gpu::schemes
