// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/fill2/fill2_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"

namespace lufact::gpu {
namespace {

constexpr Index word_bits = 32;
constexpr Index group_bits = word_bits * word_bits;  // vertices of one word of the summary

constexpr std::uint64_t most_kept_bytes = 64 << 20;
// For the small arrays of other steps.
constexpr std::uint64_t left_beside_kept = 1 << 20;
constexpr Offset kept_per_entry = 16;  // beyond it there is much fill, and rows are quick to find

std::uint64_t slot_bytes(const Fill2RowNeeds& needs, bool shared_marks) noexcept {
  return shared_marks ? 0 : needs.mark_bytes();
}

}  // namespace

Index Fill2RowNeeds::set_words() const noexcept {
  return (n + group_bits - 1) / group_bits * word_bits;
}

Index Fill2RowNeeds::mark_words() const noexcept {
  return mark_sets * set_words() + set_words() / word_bits;
}

std::uint64_t Fill2RowNeeds::mark_bytes() const noexcept {
  return static_cast<std::uint64_t>(mark_words()) * sizeof(std::uint32_t);
}

std::uint64_t Fill2Slots::scratch_bytes(const Fill2RowNeeds& needs) const noexcept {
  return static_cast<std::uint64_t>(count) * slot_bytes(needs, shared_marks);
}

Offset plan_kept_entries(Offset searches, Offset nnz, std::uint64_t available) {
  const std::uint64_t lists = kept_list_bytes(searches);
  if (available < left_beside_kept || available - left_beside_kept < 2 * lists) return 0;
  const std::uint64_t most = std::min((available - lists) / 4, most_kept_bytes);
  return std::min(kept_per_entry * nnz, static_cast<Offset>(most / sizeof(Index)));
}

std::uint64_t kept_list_bytes(Offset searches) {
  return checked_bytes(searches, sizeof(Offset) + sizeof(Index));
}

bool shares_marks(const Fill2RowNeeds& needs) noexcept {
  return needs.mark_bytes() <= most_shared_mark_bytes;
}

Fill2Slots plan_fill2_slots(const Fill2RowNeeds& needs, Index resident, std::uint64_t budget) {
  Fill2Slots slots{std::min(needs.n, resident), shares_marks(needs)};
  const std::uint64_t bytes = slot_bytes(needs, slots.shared_marks);
  if (needs.n > 0 && budget < bytes) {
    throw Error(
        Outcome::oom_device, "device_budget",
        fmt::format("symbolic factorization needs {} ({} bytes) of scratch for one source "
                    "row of a matrix with {} rows; {} ({} bytes) are left of the budget; "
                    "raise --device-memory-limit or use a larger card",
                    format_byte_size(bytes), bytes, needs.n, format_byte_size(budget), budget));
  }
  if (bytes > 0) {
    slots.count = static_cast<Index>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(slots.count), budget / bytes));
  }
  return slots;
}

}  // namespace lufact::gpu
