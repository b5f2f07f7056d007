// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/array/array_stage.hpp"

namespace lufact::gpu {

// `copy`: moves the bytes that an operation must move and computes nothing. Every entry of A, and
// of b for solve, is read and written once, padding included; pivots (of no interchange) and info
// (0) are written where they are not null. What bandwidths are compared with.
std::unique_ptr<ArrayStage> make_copy_array();
const ArrayStageFacts& copy_array_facts();

}  // namespace lufact::gpu
