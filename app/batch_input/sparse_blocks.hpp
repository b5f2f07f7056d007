// SPDX-License-Identifier: BSD-3-Clause
// Small dense matrices that lie in a sparse one.
#pragma once
#include "core/batch/batch_inputs.hpp"

namespace lufact {

// Diagonal blocks of the matrix in a file, scaled and ordered as the request says: of its size, or
// of its supervariables up to 32.
std::vector<GivenMatrices> blocks_of_file(const BatchInputRequest& request,
                                          const std::string& path);

// The blocks of pivots of all fronts of `fast-cpu` with that scaling and ordering, just before they
// are eliminated; of the request's size, or of all orders up to largest_batch_order.
std::vector<GivenMatrices> fronts_of_file(const BatchInputRequest& request,
                                          const std::string& path);

// The largest of those blocks alone.
GivenMatrices largest_front_of_file(const std::string& path, std::uint64_t seed, int threads);

// All throw Error{unsupported, "no_such_blocks"} where there are none, what read_matrix() and the
// stages throw, and UsageError for a scaling or an ordering that does not exist.

}  // namespace lufact
