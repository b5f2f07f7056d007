// SPDX-License-Identifier: BSD-3-Clause
// What this process takes of a card, by the driver's count, watched while it works.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gpu/runtime/card_memory.hpp"
#include "gpu/runtime/driver_memory_watch.hpp"

namespace lufact::gpu {

// One way to read it, which is chosen once.
class DriverMemoryReader {
 public:
  // This process, `pid`, has a context on the card. `card` must outlive the object.
  DriverMemoryReader(CardMemory& card, unsigned pid);
  // Empty where nothing can be read, and reason() says why.
  const std::optional<std::string>& method() const noexcept { return method_; }
  const std::string& reason() const noexcept { return reason_; }
  const std::optional<std::uint64_t>& other_processes() const noexcept { return others_; }

  std::optional<std::uint64_t> read();
  // Fills reason() where another process came or went, which spoils readings of the whole card.
  void look_again();

 private:
  std::optional<std::uint64_t> count_others();
  std::optional<std::uint64_t> own_bytes();

  CardMemory& card_;
  const unsigned pid_;
  std::optional<std::uint64_t> others_;
  std::optional<std::string> method_;
  std::string reason_;
};

// `idle` waits until the device has nothing to do; `phase` says what this process is doing, empty
// between phases, and is called by the thread that watches.
std::unique_ptr<DriverMemoryWatch> watch_card_memory(
    std::unique_ptr<CardMemory> card, unsigned pid, std::function<void()> idle,
    std::function<std::string()> phase,
    std::chrono::microseconds pause = std::chrono::milliseconds(1));

}  // namespace lufact::gpu
