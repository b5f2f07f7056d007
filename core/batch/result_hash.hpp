// SPDX-License-Identifier: BSD-3-Clause
// Hashes by which results of runs, variants and sides are compared.
#pragma once
#include <string>

#include "core/batch/batch_arrays.hpp"
#include "core/batch/batch_sample.hpp"

namespace lufact {

// How many matrices a hash covers at most.
constexpr Offset hashed_matrices = 65536;

// How many matrices a digest covers; digests of the blocks of a sample are made side by side.
constexpr Offset block_matrices = 256;

// SHA-256 of the digests (64 hexadecimal digits each) of every block_matrices matrices of `sample`
// in their order: of BatchResult::values, where every NaN counts as the same one, and of the
// pivots.
std::string values_sha256(const BatchArrays& arrays, const BatchSample& sample);
std::string pivots_sha256(const BatchArrays& arrays, const BatchSample& sample);

}  // namespace lufact
