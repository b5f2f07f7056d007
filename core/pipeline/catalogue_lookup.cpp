// SPDX-License-Identifier: BSD-3-Clause
// What the catalogue has for a type, a side or a stage.
#include <algorithm>

#include "core/pipeline/catalogue.hpp"

namespace lufact {

const Transfer* Catalogue::find_transfer(ProductType type, Side from, Side to) const noexcept {
  for (const auto& transfer : transfers) {
    if (transfer->type() == type && transfer->from() == from && transfer->to() == to) {
      return transfer.get();
    }
  }
  return nullptr;
}

const SupernodeFinder* Catalogue::find_supernode_finder(Side side) const noexcept {
  for (const auto& finder : supernode_finders) {
    if (finder->side() == side) return finder.get();
  }
  return nullptr;
}

bool Catalogue::is_gsofa(std::string_view stage) const noexcept {
  return std::ranges::find(gsofa_stages, stage) != gsofa_stages.end();
}

const PivotDelay* Catalogue::find_pivot_delay(ProductType type) const noexcept {
  for (const auto& delay : pivot_delays) {
    if (delay->type() == type) return delay.get();
  }
  return nullptr;
}

const SystemsStage* Catalogue::find_systems(std::string_view numeric_stage) const noexcept {
  for (const auto& stage : systems) {
    if (stage->numeric() == numeric_stage) return stage.get();
  }
  return nullptr;
}

const ProductHandler* Catalogue::find_handler(ProductType type) const noexcept {
  for (const auto& handler : handlers) {
    if (handler->type() == type) return handler.get();
  }
  return nullptr;
}

}  // namespace lufact
