// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/device_team.hpp"

#include <stdexcept>
#include <utility>

#include "gpu/runtime/check.hpp"

namespace lufact {
namespace {

// Runs `work` and keeps what it throws.
void guarded(std::exception_ptr& failure, const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
}

void rethrow_first(const std::vector<std::exception_ptr>& failures) {
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace

DeviceTeam::DeviceTeam(DeviceSession& first, const std::vector<gpu::SessionOptions>& others,
                       Access access, TeamSharing sharing)
    : sharing_(sharing) {
  sessions_.push_back(&first);
  open(others);
  if (access == Access::peer_where_possible) {
    allow_access();
  } else {
    peer_access_ = one_device_;
  }
}

// A session is made and closed by a thread of its own, for that changes the thread's device.
void DeviceTeam::open(const std::vector<gpu::SessionOptions>& others) {
  owned_.resize(others.size());
  std::vector<std::exception_ptr> failures(others.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < others.size(); ++k) {
      threads.emplace_back([&, k] {
        guarded(failures[k], [&] { owned_[k] = std::make_unique<DeviceSession>(others[k]); });
      });
    }
  }
  rethrow_first(failures);
  for (const auto& session : owned_) {
    sessions_.push_back(session.get());
    one_device_ = one_device_ && session->device() == sessions_.front()->device();
  }
}

void DeviceTeam::allow_access() {
  for (DeviceSession* owner : sessions_) {
    for (const DeviceSession* reader : sessions_) {
      peer_access_ = owner->let_in(reader->device()) && peer_access_;
    }
  }
}

DeviceTeam::~DeviceTeam() {
  std::vector<std::jthread> threads;
  for (std::unique_ptr<DeviceSession>& session : owned_) {
    threads.emplace_back([&session] {
      LUFACT_CUDA_NOEXCEPT(cudaSetDevice(session->device()));
      session.reset();
    });
  }
}

std::string_view DeviceTeam::transport() const noexcept {
  if (one_device_) return "device";
  return peer_access_ ? "peer" : "host";
}

std::vector<int> DeviceTeam::readers(Index member) const {
  std::vector<int> devices;
  if (!peer_access_) return devices;
  for (const DeviceSession* session : sessions_) {
    if (session->device() != sessions_[at(member)]->device()) devices.push_back(session->device());
  }
  return devices;
}

DeviceTeam::Running::Running(const DeviceTeam& team, Work work) : failures_(at(team.size())) {
  for (Index member = 1; member < team.size(); ++member) {
    threads_.emplace_back([&team, &failure = failures_[at(member)], member, work] {
      guarded(failure, [&] {
        LUFACT_CUDA(cudaSetDevice(team.session(member).device()));
        work(member);
        team.session(member).synchronize();
      });
    });
  }
}

void DeviceTeam::Running::join() {
  threads_.clear();
  rethrow_first(failures_);
}

void DeviceTeam::run(const Work& work) const {
  Running others = start(work);
  work(0);
  sessions_.front()->synchronize();
  others.join();
}

void DeviceTeam::copy(Index to, void* target, Index from, const void* source,
                      std::size_t bytes) const {
  if (bytes == 0) return;
  DeviceSession& reader = session(to);
  const int owner = session(from).device();
  if (peer_access_ || reader.device() == owner) {
    LUFACT_CUDA(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, reader.stream()));
  } else {
    LUFACT_CUDA(
        cudaMemcpyPeerAsync(target, reader.device(), source, owner, bytes, reader.stream()));
  }
}

DeviceExchange& DeviceTeam::exchange() const {
  if (!exchange_) throw std::logic_error("a team that was told of no other ranks");
  return *exchange_;
}

}  // namespace lufact
