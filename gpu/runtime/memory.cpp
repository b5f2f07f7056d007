// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"

namespace lufact::gpu {
namespace {

// "1.50 GiB (1610612736 bytes)": the table reads the first, a limit is chosen from the second.
std::string describe(std::uint64_t bytes) {
  return fmt::format("{} ({} bytes)", format_byte_size(bytes), bytes);
}

}  // namespace

void MemoryLedger::charge(MemoryKind kind, MemoryRole role, std::uint64_t bytes,
                          std::string_view what) {
  if (kind == MemoryKind::pinned) {
    pinned_ += bytes;
    pinned_peak_ = std::max(pinned_peak_, pinned_);
    return;
  }
  if (bytes > available()) {
    throw Error(Outcome::oom_device, "device_budget",
                fmt::format("{} wants {} of device memory; held are {} resident and {} scratch of "
                            "a limit of {}; raise --device-memory-limit or use a larger card",
                            what, describe(bytes), describe(resident_), describe(scratch_),
                            describe(budget_)));
  }
  std::uint64_t& held = role == MemoryRole::resident ? resident_ : scratch_;
  held += bytes;
  resident_peak_ = std::max(resident_peak_, resident_);
  scratch_peak_ = std::max(scratch_peak_, scratch_);
  peak_ = std::max(peak_, in_use());
  interval_peak_ = std::max(interval_peak_, in_use());
}

void MemoryLedger::release(MemoryKind kind, MemoryRole role, std::uint64_t bytes) noexcept {
  std::uint64_t& held = kind == MemoryKind::pinned     ? pinned_
                        : role == MemoryRole::resident ? resident_
                                                       : scratch_;
  held -= std::min(held, bytes);
}

void MemoryLedger::require_resident(std::uint64_t more, std::string_view what) const {
  if (resident_ <= budget_ && more <= budget_ - resident_) return;
  throw Error(Outcome::oom_device, "device_budget",
              fmt::format("{} must stay on the device: {} beside the {} that are resident now, {} "
                          "in all, beyond the limit of {}; raise --device-memory-limit or use a "
                          "larger card",
                          what, describe(more), describe(resident_), describe(resident_ + more),
                          describe(budget_)));
}

std::uint64_t MemoryLedger::available() const noexcept {
  return in_use() < budget_ ? budget_ - in_use() : 0;
}

DeviceMemoryReport MemoryLedger::report() const noexcept {
  DeviceMemoryReport report;
  report.budget_bytes = budget_;
  report.in_use_bytes = in_use();
  report.peak_bytes = peak_;
  report.resident_peak_bytes = resident_peak_;
  report.scratch_peak_bytes = scratch_peak_;
  report.pinned_peak_bytes = pinned_peak_;
  return report;
}

void MemoryLedger::reset_peaks() noexcept {
  peak_ = interval_peak_ = in_use();
  resident_peak_ = resident_;
  scratch_peak_ = scratch_;
  pinned_peak_ = pinned_;
}

}  // namespace lufact::gpu
