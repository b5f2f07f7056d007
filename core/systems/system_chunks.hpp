// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "core/base/types.hpp"

namespace lufact {

// What limits the number of systems at a time.
struct SystemsRoom {
  std::uint64_t bytes = 0;       // free for arrays that every system has
  std::uint64_t per_system = 0;  // bytes of such arrays
  // Tickets that a system draws in the longer of factorization and solves, and tickets that are
  // drawn beyond the last: numbers of tickets are Index.
  Offset tickets = 0, spare_tickets = 0;
};

// The systems of a chunk: all `count` where they fit, else chunks of as nearly the same size as
// can be, as few as can be. 0 where not even one fits.
Index systems_at_a_time(Index count, const SystemsRoom& room);

}  // namespace lufact
