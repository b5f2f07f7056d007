// SPDX-License-Identifier: BSD-3-Clause
// How fast the processor that the calling thread is on is at the moment. Where two processors are
// threads of one core, of which a virtual machine need not know, each is slower while the other
// works, that of another machine included; then what has many independent instructions is up to
// twice as slow, and what waits for the one before is not. A lower frequency slows both.
#pragma once
#include <optional>

namespace lufact {

struct CorePace {
  std::optional<int> processor{};  // its number; empty where the system does not tell
  double independent_s = 0;        // of 40,000 additions, eight of which can run at a time
  double dependent_s = 0;          // of 10,000 multiplications, each of the product before
};

// Takes some 30 microseconds, the least of three tries of either: not within what is timed.
CorePace measure_core_pace();

}  // namespace lufact
