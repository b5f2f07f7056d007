// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/matrix/facts.hpp"

namespace lufact {

// The system that a run solves, A X = B with a known X, by A's labels; blocks stored by columns.
// Where it is `transposed`, A stands for A' but in `input`.
struct LinearSystem {
  InputMatrix input;
  Index rhs = 1;
  std::vector<double> b;       // n * rhs
  std::vector<double> x_true;  // n * rhs; empty where the right-hand side came from a file
  double matrix_norm = 0;      // largest row sum of |A|
  bool transposed = false;
};

}  // namespace lufact
