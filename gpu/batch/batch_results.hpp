// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "core/array/array_problem.hpp"
#include "gpu/batch/batch_generator.hpp"

namespace lufact::gpu {

// What was made of a batch, in the memory of the device.
struct BatchResults {
  ArrayOperation operation = ArrayOperation::lu;
  BatchSource source;                    // A and b as they were
  BatchPlaces values;                    // LU, inverse or x
  const std::int32_t* pivots = nullptr;  // null: none are to be judged
  const std::int32_t* info = nullptr;
};

}  // namespace lufact::gpu
