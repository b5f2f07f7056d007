// SPDX-License-Identifier: BSD-3-Clause
// Names and descriptions of the device stages, shared by the CUDA build and the stub, so that
// `lufact list` says the same in both.
#pragma once
#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

const StageInfo& dissection_ordering_info();

const StageInfo& ooc_naive_symbolic_info();
const StageInfo& ooc_symbolic_info();
const StageInfo& um_symbolic_info();
const StageInfo& um_prefetch_symbolic_info();
const StageInfo& in_core_symbolic_info();
const StageInfo& fill2_symbolic_info();
const StageInfo& panel_symbolic_info();
const StageInfo& front_symbolic_info();

const StageInfo& host_loop_levelize_info();
const StageInfo& cdp_levelize_info();
const StageInfo& cooperative_levelize_info();
const StageInfo& sync_free_levelize_info();

const StageInfo& dense_numeric_info();
const StageInfo& dense_fixed_numeric_info();
const StageInfo& binary_search_numeric_info();
const StageInfo& persistent_numeric_info();
const StageInfo& auto_numeric_info();
const StageInfo& multifrontal_numeric_info();

}  // namespace lufact::gpu
