// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <vector>

#include "core/pipeline/stage.hpp"
#include "core/preprocess/dissection_ordering.hpp"

namespace lufact {

// `amd`, `colamd`, `btf-amd`, `metis`, `nd-parallel`, `select`, `natural` and `file`. Where METIS
// was not there at build time its entry stays and supported() says how to get it.
// `select` takes `on_device` into account.
std::vector<std::unique_ptr<OrderingStage>> ordering_stages(DeviceDissection on_device = {});

}  // namespace lufact
