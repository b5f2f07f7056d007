// SPDX-License-Identifier: BSD-3-Clause
// The matrices of a batch: what a kind and a seed say, or given ones that repeat.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.hpp"
#include "core/batch/batch_entry.hpp"

namespace lufact {

// Matrices in double, n x n by columns, one after the other.
struct GivenMatrices {
  Index n = 0;
  Offset count = 0;
  std::vector<double> values{};
};

// `count` matrices of order n. Of a kind, entry (i, j) of matrix k is batch_entry(kind, seed, n, k,
// i, j). Given ones repeat: matrix k is given[k mod given.count], beyond the first round with every
// entry times 1 + 1e-3 u of batch_repeat_factor(seed, n, k, i, j). Rounded to the precision of the
// run.
struct BatchGroup {
  Index n = 0;
  Offset count = 0;
  std::optional<BatchKind> kind{};
  std::shared_ptr<const GivenMatrices> given{};  // where there is no kind
  std::uint64_t seed = 1;
};

// Usually one group; several where an input has sizes of its own.
struct BatchInput {
  std::string name{}, sha256{};
  std::vector<BatchGroup> groups{};
};

}  // namespace lufact
