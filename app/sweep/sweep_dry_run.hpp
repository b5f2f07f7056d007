// SPDX-License-Identifier: BSD-3-Clause
// What a sweep would do.
#pragma once
#include "app/sweep/sweep_plan.hpp"

namespace lufact {

// Prints every run of the sweep with its stages, the bytes that it must hold, whether they fit, and
// the time that it took where an earlier result in the output folder knows it. Writes no file. The
// exact size of the factors takes one matching, ordering and symbolic factorization of each matrix
// on the host; request.forecast leaves it out. Returns the exit status.
int print_dry_run(const SweepRequest& request, const Workloads& workloads);

}  // namespace lufact
