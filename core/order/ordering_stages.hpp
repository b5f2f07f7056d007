// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <vector>

#include "core/pipeline/stage.hpp"

namespace lufact {

// `amd`, `colamd`, `btf-amd`, `metis`, `nd-parallel`, `natural` and `file`. Where METIS was not
// there at build time its entry stays and supported() says how to get it.
std::vector<std::unique_ptr<OrderingStage>> ordering_stages();

}  // namespace lufact
