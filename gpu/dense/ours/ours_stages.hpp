// SPDX-License-Identifier: BSD-3-Clause
// Our stages on one large matrix.
#pragma once
#include <memory>

#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

// `hybrid-tuned`: see HybridLu. Any shape, with and without pivoting; LU and solves.
const ArrayStageFacts& hybrid_tuned_array_facts();
std::unique_ptr<ArrayStage> make_hybrid_tuned_array();

// `task-graph`: see DenseFront. Square matrices without pivoting; LU and solves.
const ArrayStageFacts& task_graph_array_facts();
std::unique_ptr<ArrayStage> make_task_graph_array();

// `fast`: one of the two, recorded as a choice.
const ArrayStageFacts& fast_dense_array_facts();
std::unique_ptr<ArrayStage> make_fast_dense_array();

}  // namespace lufact::gpu
