// SPDX-License-Identifier: BSD-3-Clause
// One large dense matrix as the input of a run: a kind or a file, sizes and a seed.
#pragma once
#include <string>

#include "app/dense/dense_config.hpp"
#include "app/workload/input.hpp"

namespace lufact {

// Of a kind with sizes m x n, or of a file, with 0 x 0. Throws UsageError.
Input dense_input(const std::string& text, Index m, Index n, std::uint64_t seed);

// The other way: what makes the matrix of `input`. Where the input leaves open its size or seed, as
// one that a sweep names by its file does, they are as in `config`.
DenseInputRequest dense_request(const DenseConfig& config, const Input& input);

// An input for --input `text` that is a file.
Input open_dense_input(const std::string& name, const std::string& text);

// "solve of a matrix of 100 x 100, 3 right-hand sides"; sizes are 0 before a file is read.
std::string dense_reading(const DenseConfig& config, Index m, Index n);

// The matrix of a request: made, or read from its file.
DenseMatrixSource make_dense_source(const DenseInputRequest& request);

}  // namespace lufact
