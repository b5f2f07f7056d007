// SPDX-License-Identifier: BSD-3-Clause
// Diagonal blocks of a sparse matrix, as block-Jacobi preconditioners factor them.
#pragma once
#include <span>
#include <vector>

#include "core/batch/batch_input.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

// Where blocks begin, and the end of the last one. Of `size`: as many whole ones as fit.
std::vector<Index> uniform_blocks(Index n, Index size);

// Supervariables, runs of consecutive rows with the same columns, put together with their
// neighbours as long as a block has at most `largest` rows; a longer run is cut (Chow and Scott,
// RAL-P-2016-006: supervariable blocking).
std::vector<Index> supervariable_blocks(const PatternView& by_row, Index largest);

// The blocks of row_scale B col_scale with absent entries as zeros, by their order, ascending.
// `begin` is what the functions above give.
std::vector<GivenMatrices> diagonal_blocks(const PermutedMatrix& matrix,
                                           std::span<const Index> begin);

}  // namespace lufact
