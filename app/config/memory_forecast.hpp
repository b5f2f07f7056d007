// SPDX-License-Identifier: BSD-3-Clause
// What a matrix will need before it is factored: the exact size of its factors, and the bytes that
// every mode must hold.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/machine.hpp"
#include "core/matrix/facts.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact {

// Exact counts of the factors of a matrix.
struct FactorCounts {
  Offset nnz_lu = 0;
  double fill_ratio = 0;
};

// Matches, orders and runs the sequential symbolic stage on the host, with the scaling and ordering
// of `stages`. Throws Error where the matrix cannot be matched.
FactorCounts count_factors(const Catalogue& catalogue, StageSelection stages,
                           const std::string& permutation_file, const InputMatrix& input);

// How a chain of stages is to run, as far as memory goes.
struct ForecastTerms {
  Until until = Until::solve;
  Index rhs = 1;
  Precision precision = Precision::float64;
  int refactorizations = 0;  // that are expected
  std::optional<std::uint64_t> device_limit, host_limit;
};

struct ChainForecast {
  std::uint64_t resident_bytes = 0;  // matrix, pattern, factors, schedule, vectors
  // Work arrays of the symbolic stage, beside matrix and pattern; empty where they are small.
  std::optional<WorkBytes> symbolic_work;
  std::optional<bool> fits;  // empty where this machine cannot run the chain anyway
  std::string reason;
};
ChainForecast forecast_chain(const Chain& chain, const MatrixFacts& facts, Offset nnz_lu,
                             const ForecastTerms& terms, const Machine& machine);

// What is held when the symbolic step begins: the matrix, vectors and row pointers of L + U.
std::uint64_t bytes_before_symbolic(const Chain& chain, const MatrixFacts& facts,
                                    const ForecastTerms& terms);

// ", 1.2 KiB to 3.4 MiB of device memory for symbolic work", or nothing.
std::string work_text(const std::optional<WorkBytes>& work);

}  // namespace lufact
