// SPDX-License-Identifier: BSD-3-Clause
// Judges every matrix of a batch on the device, by the rules of core/verify/validate_batch.hpp and
// core/verify/pivot_replay.hpp, but with code of its own: a warp a matrix, in double for float
// results too. Also copies of chosen matrices, for the validator on the host.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/array/array_problem.hpp"
#include "core/verify/validate_batch.hpp"
#include "gpu/batch/batch_generator.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// What was made of a batch, in the memory of the device.
struct BatchResults {
  ArrayOperation operation = ArrayOperation::lu;
  BatchSource source;                    // A and b as they were
  BatchPlaces values;                    // LU, inverse or x
  const std::int32_t* pivots = nullptr;  // null: none are to be judged
  const std::int32_t* info = nullptr;
};

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

// Matrices and their results in double, by columns without padding, one after the other.
struct FetchedMatrices {
  std::vector<double> a, b, values;
  std::vector<std::int32_t> pivots, info;  // no pivots where there are none
};

// Those with the numbers `matrices`. Waits.
FetchedMatrices fetch_matrices(DeviceSession& session, const BatchResults& results,
                               std::span<const Offset> matrices);

}  // namespace lufact::gpu
