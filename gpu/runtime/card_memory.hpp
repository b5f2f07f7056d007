// SPDX-License-Identifier: BSD-3-Clause
// What the driver counts of a card's memory, by NVIDIA's management library.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/runtime/nvml_library.hpp"

namespace lufact::gpu {

struct CardProcess {
  unsigned pid = 0;
  std::optional<std::uint64_t> bytes;  // empty where the driver does not tell
};

class CardMemory {
 public:
  virtual ~CardMemory() = default;
  // Those that compute on the card; empty where the driver does not tell.
  virtual std::optional<std::vector<CardProcess>> processes() = 0;
  virtual std::optional<std::uint64_t> used_bytes() = 0;  // of the whole card
};

// Of the card with this UUID. Where library or card are not there, it tells nothing.
std::unique_ptr<CardMemory> open_card_memory(const std::string& uuid,
                                             const std::string& library = nvml_file);

}  // namespace lufact::gpu
