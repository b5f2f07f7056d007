// SPDX-License-Identifier: BSD-3-Clause
// The costs of a maximum product matching.
#pragma once
#include "core/base/buffer.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

struct LogCosts {
  // log max_j |a_ij| - log |a_ij| of each entry, >= 0; +infinity for an explicit zero.
  nd::Buffer<double> costs;
  nd::Buffer<double> row_maximum;  // log max_j |a_ij|; 0 for a row without nonzeros
};

// Throws Error{error, "bad_matrix"} naming the first row (from 1) with a value that is not finite.
LogCosts log_costs(const CsrMatrix& a, int threads);

}  // namespace lufact
