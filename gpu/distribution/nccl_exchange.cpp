// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/distribution/nccl_exchange.hpp"

#include <fmt/format.h>

#include <chrono>
#include <compare>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>

#include "core/base/error.hpp"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

constexpr std::chrono::seconds longest_meeting{120};
constexpr Offset greeting_bytes = 4096;

// One end of the connections, as NCCL has to know it.
struct End {
  int device = 0;
  Index rank = 0, ranks = 1;
  auto operator<=>(const End&) const = default;
};

// In a thread of its own, so that a rank that fails leaves no other one waiting without an end.
// Where it throws for want of time, `meet` goes on, and the process is of no more use.
void meet_in_time(std::function<void()> meet) {
  auto task = std::make_shared<std::packaged_task<void()>>(std::move(meet));
  std::future<void> met = task->get_future();
  std::thread([task] { (*task)(); }).detach();
  if (met.wait_for(longest_meeting) == std::future_status::timeout) {
    throw Error(Outcome::error, "nccl",
                fmt::format("NCCL did not connect the ranks within {} s; NCCL_DEBUG=INFO says what "
                            "it tries, --exchange mpi does without NCCL",
                            longest_meeting.count()));
  }
  met.get();
}

// A message from each rank to the first one, whose `greetings` have room for all.
void greet(const NcclLibrary& nccl, const End& end, NcclCommunicator communicator,
           std::byte* greetings, NcclStream stream) {
  constexpr std::size_t size = greeting_bytes;
  if (end.rank > 0) {
    nccl.require(nccl.send(greetings, size, nccl_uint8, 0, communicator, stream), "ncclSend");
    return;
  }
  nccl.require(nccl.group_start(), "ncclGroupStart");
  for (Index from = 1; from < end.ranks; ++from) {
    nccl.require(nccl.receive(greetings + from * greeting_bytes, size, nccl_uint8, from,
                              communicator, stream),
                 "ncclRecv");
  }
  nccl.require(nccl.group_end(), "ncclGroupEnd");
}

NcclCommunicator connect(const NcclLibrary& nccl, const End& end, DeviceSession& session,
                         RankGroup& ranks) {
  NcclUniqueId id{};
  if (end.rank == 0) nccl.require(nccl.get_unique_id(&id), "ncclGetUniqueId");
  ranks.broadcast(&id, sizeof(id));
  Buffer<std::byte> greetings(session, MemoryRole::scratch, greeting_bytes * end.ranks,
                              "greetings of ranks");
  greetings.fill_bytes(0);
  const auto made = std::make_shared<NcclCommunicator>(nullptr);
  meet_in_time([&nccl, end, id, made, data = greetings.data(), stream = session.stream()] {
    LUFACT_CUDA(cudaSetDevice(end.device));
    nccl.require(nccl.init_rank(made.get(), end.ranks, id, end.rank), "ncclCommInitRank");
    greet(nccl, end, *made, data, stream);
    LUFACT_CUDA(cudaStreamSynchronize(stream));
  });
  return *made;
}

// The communicator of this end, made where there is none. It stays until the process ends: NCCL
// destroys one together with those of the other ranks of the host, which may have failed, or wait
// for a command. All ends of a group are made together, so that each has its own or none has.
NcclCommunicator communicator_of(DeviceSession& session, RankGroup& ranks) {
  static std::mutex mutex;
  static auto& made = *new std::map<End, NcclCommunicator>;
  const End end{session.device(), ranks.rank(), ranks.size()};
  {
    const std::lock_guard lock(mutex);
    if (const auto found = made.find(end); found != made.end()) return found->second;
  }
  NcclCommunicator const communicator = connect(nccl_library(), end, session, ranks);
  const std::lock_guard lock(mutex);
  return made[end] = communicator;
}

}  // namespace

NcclExchange::NcclExchange(DeviceSession& session, RankGroup& ranks, std::string reason)
    : nccl_(nccl_library()),
      session_(session),
      reason_(std::move(reason)),
      communicator_(communicator_of(session, ranks)) {}

void NcclExchange::send(const void* data, std::uint64_t bytes) {
  if (bytes == 0) return;
  nccl_.require(nccl_.send(data, bytes, nccl_uint8, 0, communicator_, session_.stream()),
                "ncclSend");
}

void NcclExchange::receive(Index from, void* data, std::uint64_t bytes) {
  if (bytes == 0) return;
  nccl_.require(nccl_.receive(data, bytes, nccl_uint8, from, communicator_, session_.stream()),
                "ncclRecv");
}

}  // namespace lufact::gpu
