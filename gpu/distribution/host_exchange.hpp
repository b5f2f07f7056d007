// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/base/raw_vector.hpp"
#include "core/distribution/rank_group.hpp"
#include "gpu/runtime/device_exchange.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// Staged through the memory of both hosts, in messages of the group.
class HostExchange final : public DeviceExchange {
 public:
  // Both must outlive it.
  HostExchange(DeviceSession& session, RankGroup& ranks, std::string reason)
      : session_(session), ranks_(ranks), reason_(std::move(reason)) {}

  std::string_view transport() const noexcept override { return ranks_.transport(); }
  const std::string& reason() const noexcept override { return reason_; }
  void send(const void* data, std::uint64_t bytes) override;
  void receive(Index from, void* data, std::uint64_t bytes) override;

 private:
  DeviceSession& session_;
  RankGroup& ranks_;
  std::string reason_;
  RawVector<std::byte> stage_;  // its pages are mapped once
};

}  // namespace lufact::gpu
