// SPDX-License-Identifier: BSD-3-Clause
// Batches in host memory that go to the device and back as a whole, for libraries that are not ours
// to be given chunks: gpu.hpp has what app/ sees of it.
#pragma once
#include "core/array/array_problem.hpp"

namespace lufact {
class DeviceSession;
}

namespace lufact::gpu {

// A, and b for solve. Matrices behind addresses are a std::invalid_argument.
void upload_batch(DeviceSession& session, const ArrayProblem& problem, const ArrayOperands& host,
                  const ArrayOperands& device, bool page_locked);
// The result (solve: b), pivots and info where both sides have them. Done on return.
void download_batch(DeviceSession& session, const ArrayProblem& problem,
                    const ArrayOperands& device, const ArrayOperands& host, bool page_locked);

}  // namespace lufact::gpu
