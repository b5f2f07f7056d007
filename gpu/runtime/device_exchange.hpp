// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/types.hpp"

namespace lufact {

// Messages from the memory of a rank's first device to that of rank 0's. Those of one rank arrive
// in the order in which they were sent, and are received with the number of bytes that they were
// sent with. Either end may only put work on the stream of its session, and is to wait for that
// before it frees what another stream uses.
class DeviceExchange {
 public:
  virtual ~DeviceExchange() = default;
  virtual std::string_view transport() const noexcept = 0;  // as in the record
  // Why it is this one; empty where it was asked for.
  virtual const std::string& reason() const noexcept = 0;

  // On any rank but the first. Later work on the stream may overwrite the data.
  virtual void send(const void* data, std::uint64_t bytes) = 0;
  // On rank 0. Later work on the stream finds the data.
  virtual void receive(Index from, void* data, std::uint64_t bytes) = 0;
};

}  // namespace lufact
