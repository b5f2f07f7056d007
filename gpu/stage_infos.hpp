// SPDX-License-Identifier: BSD-3-Clause
// Names and descriptions of the device stages, shared by the CUDA build and the stub, so that
// `lufact list` says the same in both.
#pragma once
#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

const StageInfo& ooc_symbolic_info();
const StageInfo& host_loop_levelize_info();
const StageInfo& binary_search_numeric_info();

}  // namespace lufact::gpu
