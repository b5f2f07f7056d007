// SPDX-License-Identifier: BSD-3-Clause
#include "app/ranks/rank_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "app/run/messages.hpp"
#include "core/base/byte_size.hpp"

namespace lufact {
namespace {

using namespace std::chrono_literals;

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  if (!(statm >> total >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

RankWatch::RankWatch(const AnswerStream& answers, std::string name)
    : answers_(answers),
      name_(std::move(name)),
      parent_(getppid()),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void RankWatch::set_limit(std::optional<std::uint64_t> host_bytes) {
  limit_ = host_bytes.value_or(0);
}

void RankWatch::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    look();
    std::this_thread::sleep_for(100ms);
  }
}

void RankWatch::look() const {
  if (getppid() != parent_) _exit(1);
  const std::uint64_t limit = limit_;
  if (limit == 0) return;
  const std::uint64_t used = resident_bytes();
  if (used <= limit) return;
  answers_.send(failed_message(Outcome::oom_host, "host_memory_limit",
                               fmt::format("{} used {} of host memory, over --host-memory-limit {}",
                                           name_, format_byte_size(used), format_byte_size(limit)),
                               ""));
  _exit(1);
}

}  // namespace lufact
