// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

// Stage `gpu-sync-free`: one kernel in which columns wait for the levels of the columns before them
// (the idea of Liu et al.'s synchronisation-free triangular solve, Euro-Par 2016, and of Dufrechou
// and Ezzatti's level sets). Sub-phases graph (pruned_graph.hpp), levels, order.
std::unique_ptr<LevelizeStage> make_sync_free_levelize();

}  // namespace lufact::gpu
