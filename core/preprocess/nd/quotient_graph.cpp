// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/nd/quotient_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/error.hpp"

namespace lufact::nd {

void QuotientGraph::reset(Index interior_count, Index halo_count, Index element_count,
                          Offset entries) {
  const Offset room = entries + entries / 5 + 2 * (Offset{interior_count} + halo_count) + 64;
  if (room > std::numeric_limits<Index>::max()) {
    throw Error(Outcome::unsupported, "ordering_overflow",
                fmt::format("minimum degree would need {} list entries, more than 32 bits count; "
                            "use --ordering metis or amd",
                            room));
  }
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

}  // namespace lufact::nd
