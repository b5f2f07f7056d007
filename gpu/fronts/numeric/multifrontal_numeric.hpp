// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

// `gpu-multifrontal`: the task graph in one persistent kernel, static pivoting in diagonal tiles;
// the bits of the factors depend on the input alone.
std::unique_ptr<NumericStage> make_multifrontal_numeric();
const NumericFacts& multifrontal_numeric_facts();

}  // namespace lufact::gpu
