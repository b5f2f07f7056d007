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

void MemoryLedger::require_device(std::uint64_t bytes, std::string_view what) const {
  if (bytes <= available()) return;
  throw Error(Outcome::oom_device, "device_budget",
              fmt::format("{} wants {} of device memory; held are {} resident and {} scratch of "
                          "a limit of {}; raise --device-memory-limit or use a larger card",
                          what, describe(bytes), describe(resident_), describe(scratch_),
                          describe(budget_)));
}

void MemoryLedger::require_managed(std::uint64_t bytes, std::string_view what) const {
  if (managed_ <= managed_limit_.bytes && bytes <= managed_limit_.bytes - managed_) return;
  throw Error(
      Outcome::oom_device, "managed_limit",
      fmt::format("{} wants {} of managed memory; held are {} of a limit of {}; raise "
                  "--um-bytes or use a larger card",
                  what, describe(bytes), describe(managed_), describe(managed_limit_.bytes)));
}

// Pages beyond what the card has thrash between it and the host, and can hang a shared machine.
void MemoryLedger::require_card(std::uint64_t bytes, std::string_view what) const {
  const std::uint64_t held = in_use() + managed_;
  if (managed_limit_.oversubscribe || (held <= card_bytes_ && bytes <= card_bytes_ - held)) return;
  throw Error(Outcome::oom_device, "managed_over_free",
              fmt::format("{} wants {}; with {} of managed and {} of device memory held, that is "
                          "more than the {} that the card has for this run; lower --um-bytes, or, "
                          "on a machine of your own, pass --um-allow-oversubscription, which can "
                          "hang it",
                          what, describe(bytes), describe(managed_), describe(in_use()),
                          describe(card_bytes_)));
}

void MemoryLedger::require_pinned(std::uint64_t bytes, std::string_view what) const {
  if (!host_limit_ || (pinned_ <= *host_limit_ && bytes <= *host_limit_ - pinned_)) return;
  throw Error(Outcome::oom_host, "host_memory_limit",
              fmt::format("{} wants {} of page-locked host memory; held are {} of a limit of {}; "
                          "raise --host-memory-limit",
                          what, describe(bytes), describe(pinned_), describe(*host_limit_)));
}

void MemoryLedger::charge(MemoryKind kind, MemoryRole role, std::uint64_t bytes,
                          std::string_view what) {
  if (kind == MemoryKind::pinned) {
    require_pinned(bytes, what);
    pinned_ += bytes;
    pinned_peak_ = std::max(pinned_peak_, pinned_);
    return;
  }
  if (kind == MemoryKind::managed) {
    require_managed(bytes, what);
    require_card(bytes, what);
    managed_ += bytes;
    managed_peak_ = std::max(managed_peak_, managed_);
    return;
  }
  require_device(bytes, what);
  if (managed_ > 0) require_card(bytes, what);
  std::uint64_t& held = role == MemoryRole::resident ? resident_ : scratch_;
  held += bytes;
  resident_peak_ = std::max(resident_peak_, resident_);
  scratch_peak_ = std::max(scratch_peak_, scratch_);
  peak_ = std::max(peak_, in_use());
  interval_peak_ = std::max(interval_peak_, in_use());
}

void MemoryLedger::limit_managed(const ManagedLimit& limit) noexcept {
  managed_limit_ = limit;
  card_bytes_ = limit.card_free + in_use() + managed_;
}

void MemoryLedger::release(MemoryKind kind, MemoryRole role, std::uint64_t bytes) noexcept {
  std::uint64_t& held = kind == MemoryKind::pinned     ? pinned_
                        : kind == MemoryKind::managed  ? managed_
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
  report.managed_peak_bytes = managed_peak_;
  report.pinned_peak_bytes = pinned_peak_;
  return report;
}

void MemoryLedger::reset_peaks() noexcept {
  peak_ = interval_peak_ = in_use();
  resident_peak_ = resident_;
  scratch_peak_ = scratch_;
  pinned_peak_ = pinned_;
  managed_peak_ = managed_;
}

}  // namespace lufact::gpu
