// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "app/config/run_config.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

// A after the scaling stage's matching and the ordering stage that the configuration names (mc64
// and amd unless it says otherwise), diagonal entries that were missing added as zeros, values
// unscaled: what a program that only factors is given.
CsrMatrix permuted_input(const RunConfig& config, const CsrMatrix& a);

}  // namespace lufact
