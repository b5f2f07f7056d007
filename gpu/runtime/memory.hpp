// SPDX-License-Identifier: BSD-3-Clause
// All memory of the device module: tracked by kind and role, device memory held to a budget,
// managed memory to a limit of its own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/types.hpp"
#include "gpu/runtime/session_facts.hpp"

namespace lufact::gpu {

enum class MemoryKind { device, pinned, managed };
// resident: must stay until the solution (matrix, pattern, factors, schedule, vectors).
// scratch: work arrays of one stage, what the out-of-core planner may shrink.
enum class MemoryRole { resident, scratch };

// Limit of managed memory. Managed memory is not charged to the budget of device memory, which
// stands for a smaller card; but its pages come to the same card.
struct ManagedLimit {
  std::uint64_t bytes = 0;      // of managed memory
  std::uint64_t card_free = 0;  // free on the card as the limit is set
  bool oversubscribe = false;   // the pages and the device memory may exceed what the card has
};

// Counts and limits; allocates nothing itself, so that it is tested without a device.
class MemoryLedger {
 public:
  explicit MemoryLedger(std::uint64_t budget_bytes,
                        std::optional<std::uint64_t> host_bytes = std::nullopt)
      : budget_(budget_bytes), host_limit_(host_bytes) {}

  // Throws Error{oom_device} with a message that names what is wanted, what is held and the limit:
  // "device_budget" where device bytes would pass the budget, "managed_limit" where managed bytes
  // would pass theirs, "managed_over_free" where both together would exceed the card. Throws
  // Error{oom_host, "host_memory_limit"} where pinned bytes would pass the limit of the host.
  void charge(MemoryKind kind, MemoryRole role, std::uint64_t bytes, std::string_view what);
  // Replaces the limit of managed memory, which is zero before.
  void limit_managed(const ManagedLimit& limit) noexcept;
  void release(MemoryKind kind, MemoryRole role, std::uint64_t bytes) noexcept;
  // Throws Error{oom_device, "device_budget"} naming the resident total where `more` resident bytes
  // beside those held now cannot fit, before any of them is allocated.
  void require_resident(std::uint64_t more, std::string_view what) const;

  std::uint64_t budget() const noexcept { return budget_; }
  std::uint64_t available() const noexcept;  // of the budget
  std::uint64_t in_use() const noexcept { return resident_ + scratch_; }
  std::uint64_t resident() const noexcept { return resident_; }
  std::uint64_t managed() const noexcept { return managed_; }
  DeviceMemoryReport report() const noexcept;
  void reset_peaks() noexcept;
  std::uint64_t interval_peak() const noexcept { return interval_peak_; }
  void reset_interval_peak() noexcept { interval_peak_ = in_use(); }

 private:
  void require_device(std::uint64_t bytes, std::string_view what) const;
  void require_managed(std::uint64_t bytes, std::string_view what) const;
  void require_card(std::uint64_t bytes, std::string_view what) const;
  void require_pinned(std::uint64_t bytes, std::string_view what) const;

  std::uint64_t budget_;
  std::optional<std::uint64_t> host_limit_;
  ManagedLimit managed_limit_;
  std::uint64_t card_bytes_ = 0;  // for device and managed memory of this run together
  std::uint64_t resident_ = 0, scratch_ = 0, pinned_ = 0, managed_ = 0;
  std::uint64_t peak_ = 0, resident_peak_ = 0, scratch_peak_ = 0, pinned_peak_ = 0,
                managed_peak_ = 0;
  std::uint64_t interval_peak_ = 0;
};

}  // namespace lufact::gpu
