// SPDX-License-Identifier: BSD-3-Clause
#include "core/systems/system_chunks.hpp"

#include <algorithm>
#include <limits>

namespace lufact {

Index systems_at_a_time(Index count, const SystemsRoom& room) {
  auto most = static_cast<std::uint64_t>(count);
  if (room.per_system > 0) most = std::min(most, room.bytes / room.per_system);
  if (room.tickets > 0) {
    const Offset drawn = std::numeric_limits<Index>::max() - room.spare_tickets;
    most = std::min(most, static_cast<std::uint64_t>(std::max<Offset>(drawn, 0) / room.tickets));
  }
  if (most == 0) return 0;
  const auto all = static_cast<std::uint64_t>(count);
  const std::uint64_t chunks = (all + most - 1) / most;
  return static_cast<Index>((all + chunks - 1) / chunks);
}

}  // namespace lufact
