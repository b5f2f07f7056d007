// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/run/refinement.hpp"

namespace lufact {

// Flexible GMRES (Saad, SIAM J. Sci. Comput. 14, 1993) preconditioned on the right by the factors,
// restarted, for each column of b from the start x. Returns the iterations of all columns. Stops at
// a backward error of machine precision, at stagnation of a cycle, or after a fixed number of
// cycles; x never becomes non-finite by it.
int fgmres(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x);

}  // namespace lufact
