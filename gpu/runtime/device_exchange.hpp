// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/types.hpp"

namespace lufact {

// Messages from the memory of a rank's first device to that of rank 0's. Those of one rank arrive
// in the order in which they were sent, and are received with the number of bytes that they were
// sent with; none of them is awaited unless it has been sent or will be. Both ends work on the
// streams of their sessions, which are to be waited for before anything else relies on it.
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
