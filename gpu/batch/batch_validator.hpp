// SPDX-License-Identifier: BSD-3-Clause
// Judges every matrix of a batch on the device, by the rules of core/verify/validate_batch.hpp and
// core/verify/pivot_replay.hpp, but with code of its own: a warp a matrix, in double for float
// results too.
#pragma once
#include <cstdint>
#include <vector>

#include "core/verify/validate_batch.hpp"
#include "gpu/batch/batch_results.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

struct DeviceVerdict {
  MatrixVerdict verdict;
  std::int32_t info = 0;
  // The result has NaN or Inf where the operation must give numbers, unless they are beyond the
  // precision, which only the host finds out; `error` is infinite until then.
  bool result_nonfinite = false;
};

// Of matrices [first, first + count), for `own_result` see validate_matrix(). Waits.
std::vector<DeviceVerdict> validate_on_device(DeviceSession& session, const BatchResults& results,
                                              bool own_result, Offset first, Offset count);

}  // namespace lufact::gpu
