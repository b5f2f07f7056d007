// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/driver_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace lufact::gpu {

DriverMemoryReader::DriverMemoryReader(CardMemory& card, unsigned pid)
    : card_(card), pid_(pid), others_(count_others()) {
  if (own_bytes()) {
    method_ = "process";
  } else if (others_.value_or(0) > 0) {
    reason_ = fmt::format(
        "the driver does not tell the memory of single processes, and {} others use the card",
        *others_);
  } else if (card_.used_bytes()) {
    method_ = "card";
  } else {
    reason_ = fmt::format("{} was not found or does not tell the memory of the card", nvml_file);
  }
}

// Where the driver shows processes by other numbers, as in a container, this one is among them.
std::optional<std::uint64_t> DriverMemoryReader::count_others() {
  const auto processes = card_.processes();
  if (!processes || processes->empty()) return std::nullopt;  // it hides this one, which is there
  return processes->size() - 1;
}

std::optional<std::uint64_t> DriverMemoryReader::own_bytes() {
  const auto processes = card_.processes();
  if (!processes) return std::nullopt;
  const auto own = std::ranges::find(*processes, pid_, &CardProcess::pid);
  return own == processes->end() ? std::nullopt : own->bytes;
}

std::optional<std::uint64_t> DriverMemoryReader::read() {
  if (!method_) return std::nullopt;
  return *method_ == "process" ? own_bytes() : card_.used_bytes();
}

void DriverMemoryReader::look_again() {
  if (method_ != "card" || count_others() == others_) return;
  method_.reset();
  reason_ = "another process came to the card or left it, whose memory cannot be told apart";
}

namespace {

class PolledMemory final : public DriverMemoryWatch {
 public:
  PolledMemory(std::unique_ptr<CardMemory> card, unsigned pid, std::function<void()> idle,
               std::function<std::string()> phase, std::chrono::microseconds pause)
      : card_(std::move(card)),
        idle_(std::move(idle)),
        phase_(std::move(phase)),
        pause_(pause),
        reader_(*card_, pid) {
    record_.opened_bytes = reader_.read();
  }
  ~PolledMemory() override { stop(); }
  PolledMemory(const PolledMemory&) = delete;
  PolledMemory& operator=(const PolledMemory&) = delete;

  void begin() override {
    idle_();
    record_.baseline_bytes = reader_.read();
    if (!record_.baseline_bytes) return;
    record_.peak_bytes = record_.baseline_bytes;
    record_.readings = 1;
    poller_ = std::thread([this] { poll(); });
  }

  DriverMemoryRecord end() override {
    idle_();
    stop();
    const auto held = reader_.read();
    if (record_.baseline_bytes && held) {
      take(*held, {});
      record_.held_over_baseline_bytes = over_baseline(*held);
      record_.peak_over_baseline_bytes = over_baseline(*record_.peak_bytes);
    }
    reader_.look_again();
    if (reader_.method()) {
      record_.method = reader_.method();
    } else {
      record_ = {};
      record_.unavailable_reason = reader_.reason();
    }
    record_.other_processes = reader_.other_processes();
    return record_;
  }

 private:
  void stop() {
    stops_ = true;
    if (poller_.joinable()) poller_.join();
  }

  // A phase has a reading that began and ended in it.
  void poll() {
    while (!stops_) {
      const std::string before = phase_();
      const auto bytes = reader_.read();
      if (bytes) take(*bytes, before == phase_() ? before : std::string());
      std::this_thread::sleep_for(pause_);
    }
  }

  void take(std::uint64_t bytes, const std::string& phase) {
    ++*record_.readings;
    record_.peak_bytes = std::max(*record_.peak_bytes, bytes);
    if (phase.empty()) return;
    std::uint64_t& most = record_.over_baseline_by_phase[phase];
    most = std::max(most, over_baseline(bytes));
  }

  std::uint64_t over_baseline(std::uint64_t bytes) const {
    return bytes - std::min(bytes, *record_.baseline_bytes);
  }

  const std::unique_ptr<CardMemory> card_;
  const std::function<void()> idle_;
  const std::function<std::string()> phase_;
  const std::chrono::microseconds pause_;
  DriverMemoryReader reader_;  // of one thread at a time, as is the record
  DriverMemoryRecord record_;
  std::atomic<bool> stops_{false};
  std::thread poller_;
};

}  // namespace

std::unique_ptr<DriverMemoryWatch> watch_card_memory(std::unique_ptr<CardMemory> card, unsigned pid,
                                                     std::function<void()> idle,
                                                     std::function<std::string()> phase,
                                                     std::chrono::microseconds pause) {
  return std::make_unique<PolledMemory>(std::move(card), pid, std::move(idle), std::move(phase),
                                        pause);
}

}  // namespace lufact::gpu
