// SPDX-License-Identifier: BSD-3-Clause
// Right-hand sides and solutions as files: Matrix Market arrays (real general) or bare numbers, one
// block stored by columns.
#pragma once
#include <string>
#include <vector>

#include "app/config/run_config.hpp"
#include "core/pipeline/linear_system.hpp"

namespace lufact {

// Adds right-hand sides, known solution and norm to a system whose matrix has been read.
void complete_linear_system(const RunConfig& config, LinearSystem& system);

struct DenseBlock {
  Index rows = 0, columns = 0;
  std::vector<double> values;
};
// Throws Error{error, "bad_rhs"} with file and line.
DenseBlock read_block(const std::string& path);
void write_block(const std::string& path, const std::vector<double>& values, Index columns);

}  // namespace lufact
