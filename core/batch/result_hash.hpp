// SPDX-License-Identifier: BSD-3-Clause
// Hashes by which results of runs, variants and sides are compared.
#pragma once
#include <string>

#include "core/batch/batch_arrays.hpp"
#include "core/batch/batch_sample.hpp"

namespace lufact {

// How many matrices a hash covers at most.
constexpr Offset hashed_matrices = 65536;

// SHA-256 of BatchResult::values, and of the pivots, of the matrices of `sample` in their order;
// every NaN counts as the same one.
std::string values_sha256(const BatchArrays& arrays, const BatchSample& sample);
std::string pivots_sha256(const BatchArrays& arrays, const BatchSample& sample);

}  // namespace lufact
