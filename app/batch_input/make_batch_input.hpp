// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/batch/batch_inputs.hpp"

namespace lufact {

// The input of a run of `lufact batch`: its groups, one order each, ascending. The hash is that of
// the file, or of batch_generator_facts(). A matrix file is scaled and ordered as the request says.
// Throws UsageError for a request that cannot be met, Error for a file that cannot be read, has no
// such matrices, or does not fit in memory.
BatchInput make_batch_input(const BatchInputRequest& request);

}  // namespace lufact
