// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/nd/quotient_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/error.hpp"

namespace lufact::nd {
namespace {

// Room for the lists, and behind these for new elements until garbage collection closes the gaps.
Index room_for(Offset entries, Offset nodes) {
  const Offset room = entries + entries / 5 + 2 * nodes + 64;
  if (room > std::numeric_limits<Index>::max()) {
    throw Error(Outcome::unsupported, "ordering_overflow",
                fmt::format("minimum degree would need {} list entries, more than 32 bits count; "
                            "use --ordering metis or amd",
                            room));
  }
  return static_cast<Index>(room);
}

}  // namespace

void QuotientGraph::reset(Index interior_count, Index halo_count, Index element_count,
                          Offset entries) {
  room = room_for(entries, Offset{interior_count} + halo_count);
  interior = interior_count;
  variables = interior + halo_count;
  nodes = variables + element_count;
  const auto count = static_cast<std::size_t>(nodes);
  begin.assign(count, 0);
  length.assign(count, 0);
  elements.assign(count, 0);
  weight.assign(count, 0);
  path.assign(count, {});
  list.resize(std::max(list.size(), static_cast<std::size_t>(room)));
}

void QuotientGraph::add_halo(Index count, Offset entries) {
  variables += count;
  nodes = variables;
  room = room_for(entries, nodes);
  const auto all = static_cast<std::size_t>(nodes);
  for (std::vector<Index>* array : {&begin, &length, &elements, &weight}) array->resize(all, 0);
  path.resize(all);
  list.resize(std::max(list.size(), static_cast<std::size_t>(room)));
}

}  // namespace lufact::nd
