// SPDX-License-Identifier: BSD-3-Clause
// GLU 3.0 (S. Peng, S. X.-D. Tan, "GLU3.0: Fast GPU-based Parallel Sparse LU Factorization for
// Circuit Simulation", IEEE Design and Test 37, 2020) on the cores of a host: the baseline that E2E
// calls a parallel implementation modified from GLU 3.0. Its levels are those of the stage `cpu`
// under the rule relaxed.
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact {

// `cpu-glu3`: column by column, the union of whole columns of L; see glu3_symbolic.cpp.
std::unique_ptr<SymbolicStage> make_glu3_symbolic();
// `cpu-glu3`: right-looking over the levels of a schedule; see right_looking.hpp.
std::unique_ptr<NumericStage> make_glu3_numeric();

}  // namespace lufact
