// SPDX-License-Identifier: BSD-3-Clause
// Memory of a GSoFa search, for forecasts. Without CUDA.
#pragma once
#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

// For a matrix of n rows, with the options' defaults: of one source with queues of one entry, and
// of all sources at once with the least queues, for each the counts and chunk bits of every row
// beside.
WorkBytes gsofa_work_bytes(Index n);

}  // namespace lufact::gpu
