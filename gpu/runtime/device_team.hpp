// SPDX-License-Identifier: BSD-3-Clause
// Several devices of one host for one stage: a session for each, and a host thread for each while
// they work side by side. Two sessions on one device stand for two devices in tests.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "core/pipeline/team_sharing.hpp"
#include "gpu/runtime/device_exchange.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact {

class DeviceTeam {
 public:
  enum class Access { peer_where_possible, through_host };

  // Opens a session for each of `others`, each in a thread of its own, so that the calling thread
  // stays with the device of `first`, which must outlive the team. Throws as DeviceSession does.
  DeviceTeam(DeviceSession& first, const std::vector<gpu::SessionOptions>& others,
             Access access = Access::peer_where_possible, TeamSharing sharing = TeamSharing::bits);
  ~DeviceTeam();
  DeviceTeam(const DeviceTeam&) = delete;
  DeviceTeam& operator=(const DeviceTeam&) = delete;

  Index size() const noexcept { return static_cast<Index>(sessions_.size()); }
  DeviceSession& session(Index member) const { return *sessions_.at(at(member)); }
  // Every member reads the device memory of every other one directly.
  bool peer_access() const noexcept { return peer_access_; }
  // How copy() goes: "peer", "host" (the driver stages in pinned memory), or "device" where all
  // members are on one.
  std::string_view transport() const noexcept;
  TeamSharing sharing() const noexcept { return sharing_; }
  // The other devices that are to reach the growing memory of a member.
  std::vector<int> readers(Index member) const;

  using Work = std::function<void(Index member)>;

  // What all members but the first do meanwhile. The destructor waits.
  class Running {
   public:
    Running(const DeviceTeam& team, Work work);
    // Waits for all and for their streams; then throws what the lowest of those threw that failed.
    void join();

   private:
    std::vector<std::exception_ptr> failures_;
    std::vector<std::jthread> threads_;  // goes first, so that none is left
  };
  // Calls work(k) for every member k but the first in a thread that has its device.
  Running start(Work work) const { return {*this, std::move(work)}; }
  // The same for all, the first in the calling thread.
  void run(const Work& work) const;

  // From memory of one member to that of another, or of the same, on the stream of `to`, by a
  // thread that has its device. What `from` has put on its stream must be done.
  void copy(Index to, void* target, Index from, const void* source, std::size_t bytes) const;

  // How the first device's memory reaches that of other ranks, in a process that is one of several.
  void join(std::shared_ptr<DeviceExchange> exchange) { exchange_ = std::move(exchange); }
  DeviceExchange& exchange() const;  // after join()

 private:
  void open(const std::vector<gpu::SessionOptions>& others);
  void allow_access();

  std::vector<std::unique_ptr<DeviceSession>> owned_;  // of all members but the first
  std::vector<DeviceSession*> sessions_;
  bool one_device_ = true, peer_access_ = true;
  TeamSharing sharing_;
  std::shared_ptr<DeviceExchange> exchange_;
};

}  // namespace lufact
