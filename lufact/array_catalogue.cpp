// SPDX-License-Identifier: BSD-3-Clause
#include "lufact/array_catalogue.hpp"

#include "gpu/gpu.hpp"

namespace lufact {

std::vector<std::unique_ptr<ArrayStage>> make_array_stages() {
  return gpu::array_stages();
}

}  // namespace lufact
