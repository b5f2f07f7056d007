// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <optional>

namespace lufact {

// What the stages with managed memory may do.
struct ManagedOptions {
  std::optional<std::uint64_t> bytes;   // default: 80% of the device memory that is free
  bool host_start = false;              // the host touches every page before the device does
  bool evict_between_chunks = false;    // send the pages back to the host between chunks
  bool allow_oversubscription = false;  // ask for more than the card has free: can hang a machine
};

}  // namespace lufact
