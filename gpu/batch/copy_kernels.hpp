// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/array/array_problem.hpp"

namespace lufact {
class DeviceSession;
}

namespace lufact::gpu {

// Puts on the session's stream what `copy` (copy_array.hpp) does with the first `count` matrices of
// `operands`, device memory; for an interleaved layout `count` is the stride.
void copy_arrays(DeviceSession& session, const ArrayProblem& problem, const ArrayOperands& operands,
                 Offset count);

}  // namespace lufact::gpu
