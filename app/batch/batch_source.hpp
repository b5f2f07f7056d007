// SPDX-License-Identifier: BSD-3-Clause
// The matrices of a batch as the input of a run: a kind or a file, an order, a count and a seed.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/batch/batch_config.hpp"
#include "app/workload/input.hpp"

namespace lufact {

// What `config` asks for with matrices of order `size`; empty: `auto`.
Input batch_input(const BatchConfig& config, std::optional<Index> size);

// The other way: all that makes the matrices of `input`. What the input leaves open, as one that a
// sweep names by its file does, is as in `config`. Throws UsageError where that is several orders.
BatchInputRequest batch_request(const BatchConfig& config, const Input& input);

// An input for --input `text`, where order and count are left open.
Input open_batch_input(const std::string& name, const std::string& text);

// "lu of 1000000 matrices of order 8": what tells runs on the same matrices apart.
std::string batch_reading(const BatchConfig& config, const BatchInputRequest& request);

}  // namespace lufact
