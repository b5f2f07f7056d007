// SPDX-License-Identifier: BSD-3-Clause
// The order in which the tasks of many systems with one plan are taken.
#pragma once
#include "core/base/host_device.hpp"
#include "core/base/types.hpp"

namespace lufact {

// A ticket of the plan, for one of the systems.
struct SystemTicket {
  Index ticket = 0, system = 0;
};

// Systems whose tasks are taken side by side: enough to fill a card while a few large fronts near
// the root are eliminated (8 at a time took 8 to 22% longer than 64 on an H100; 64 took 0 to 6%
// longer than 256, by tiles, in a trial of seven matrices on an H200 that has no record). A window
// bounds how much children leave before parents take it.
inline constexpr Index systems_side_by_side = 256;

// The plan's `tickets` tickets for each of `systems` systems, in windows of `window` systems; in a
// window ticket by ticket, each for all systems in turn. Of one system tickets come in the plan's
// order, so that a ticket never waits for one that nobody has drawn.
struct SystemTickets {
  Index tickets = 0, systems = 0, window = 1;

  // tickets * systems must be an Index.
  LUFACT_HOST_DEVICE constexpr Index count() const { return tickets * systems; }
  // 0 <= drawn < count().
  LUFACT_HOST_DEVICE constexpr SystemTicket at(Index drawn) const {
    const Index whole = tickets * window, number = drawn / whole, first = number * window;
    const Index wide = systems - first < window ? systems - first : window;
    const Index inside = drawn - number * whole, ticket = inside / wide;
    return {ticket, first + inside - ticket * wide};
  }
};

constexpr SystemTickets order_systems(Index tickets, Index systems) {
  return {tickets, systems, systems < systems_side_by_side ? systems : systems_side_by_side};
}

}  // namespace lufact
