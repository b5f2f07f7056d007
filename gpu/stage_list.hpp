// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <utility>
#include <vector>

namespace lufact::gpu {

// The stages in this order, as the catalogue wants them.
template <class Stage, class... Stages>
std::vector<std::unique_ptr<Stage>> stage_list(std::unique_ptr<Stage> first, Stages... more) {
  std::vector<std::unique_ptr<Stage>> stages;
  stages.push_back(std::move(first));
  (stages.push_back(std::move(more)), ...);
  return stages;
}

}  // namespace lufact::gpu
