// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/distribution/rank_group.hpp"
#include "gpu/distribution/nccl_library.hpp"
#include "gpu/runtime/device_exchange.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// From device to device by NCCL, without waiting. A rank that dies leaves the stream of the one
// that awaits it, or sends to it, without an end: whoever started the ranks ends them then.
class NcclExchange final : public DeviceExchange {
 public:
  // To be made by all ranks at once, each with a device of its own and with nccl_library() at hand;
  // the session must outlive it. The first of a process for its device connects it with all others
  // and sends a first message, since NCCL does so for seconds and takes memory, which is not of the
  // session's budget. Throws Error{error, "nccl"}, also where the ranks do not meet in two minutes.
  NcclExchange(DeviceSession& session, RankGroup& ranks, std::string reason);

  std::string_view transport() const noexcept override { return "nccl"; }
  const std::string& reason() const noexcept override { return reason_; }
  void send(const void* data, std::uint64_t bytes) override;
  void receive(Index from, void* data, std::uint64_t bytes) override;

 private:
  const NcclLibrary& nccl_;
  DeviceSession& session_;
  std::string reason_;
  NcclCommunicator communicator_;
};

}  // namespace lufact::gpu
