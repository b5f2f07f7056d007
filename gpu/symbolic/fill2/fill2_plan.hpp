// SPDX-License-Identifier: BSD-3-Clause
// Number of rows that the tuned fill search has in flight, and the place of their marks: arithmetic
// on the host, without CUDA.
#pragma once
#include <cstdint>

#include "core/base/types.hpp"

namespace lufact::gpu {

// Places in a bitmap stay below 2^31 when they are rounded up.
inline constexpr Index most_fill2_rows = Index{1} << 30;  // and fewer

// Memory that one row in flight needs.
struct Fill2RowNeeds {
  Index n = 0;
  int mark_sets = 1;  // 3 where vertices can be passed on the way to an entry

  // Words of one set of marks, a bit a vertex: a multiple of 32. n < 2^30.
  Index set_words() const noexcept;
  // Words of all sets and of the summary, a bit for each word of a set.
  Index mark_words() const noexcept;
  std::uint64_t mark_bytes() const noexcept;
};

// Marks of more bytes, in shared memory, would leave too few rows on a multiprocessor.
inline constexpr std::uint64_t most_shared_mark_bytes = 96 << 10;

struct Fill2Slots {
  Index count = 0;
  bool shared_marks = false;

  // Bytes of scratch in device memory.
  std::uint64_t scratch_bytes(const Fill2RowNeeds& needs) const noexcept;
};

// Number of entries that the count pass may keep for the position pass, for `searches` searches in
// a matrix of `nnz` entries; kept_list_bytes come in addition. 0, and no list, where entries and
// list would take more than a fixed part of the `available` bytes.
Offset plan_kept_entries(Offset searches, Offset nnz, std::uint64_t available);
std::uint64_t kept_list_bytes(Offset searches);

// Rows in flight: at most n, at most those that the card runs at once (`resident`, for marks where
// shares_marks puts them), and at most those that `budget` bytes hold. Throws Error{oom_device,
// "device_budget"} that says what one row needs where not even one fits.
bool shares_marks(const Fill2RowNeeds& needs) noexcept;
Fill2Slots plan_fill2_slots(const Fill2RowNeeds& needs, Index resident, std::uint64_t budget);

}  // namespace lufact::gpu
