// SPDX-License-Identifier: BSD-3-Clause
// The entries of B by tiles of fronts, placed on the device that found the front tree.
#pragma once
#include <string_view>
#include <vector>

#include "gpu/fronts/device_front_products.hpp"

namespace lufact::gpu {

inline constexpr std::string_view entry_sources = "the sources of entries";
inline constexpr std::string_view entry_places = "the places of entries";

// Sets entry_source and entry_place of `graph`, whose shapes and tasks are set, and the ranges of
// entries of its factorization's tasks; all equal those that make_tile_tasks() gives a graph whose
// tree has its entries. `shapes` as graph.shape. The tree's entries are gone afterwards; it must
// have them (std::logic_error). Scratch: 18 bytes an entry and what a sort takes.
void place_entries(DeviceSession& session, const DeviceFrontTree& tree,
                   const std::vector<FrontShape>& shapes, DeviceTaskGraph& graph);

}  // namespace lufact::gpu
