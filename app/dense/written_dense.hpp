// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "app/dense/dense_config.hpp"
#include "core/dense/dense_arrays.hpp"

namespace lufact {

// Writes the files that the configuration names, of the last repetition. Throws
// Error{error, "cannot_write"}.
void write_dense_results(const DenseConfig& config, const DenseArrays& arrays);

}  // namespace lufact
