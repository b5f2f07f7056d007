// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// Scratch of a sort, for any number of bits. The caller allocates it together with other arrays,
// since an allocation of its own would take longer than a small sort.
struct SortScratch {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};
std::size_t sort_keys_bytes(DeviceSession& session, Offset count);
std::size_t sort_pairs_bytes(DeviceSession& session, Offset count);

// Stable, ascending, by the low `bits` bits of keys >= 0. Asynchronous.
void sort_keys(DeviceSession& session, SortScratch scratch, const std::uint64_t* keys,
               std::uint64_t* sorted, Offset count, int bits);
void sort_pairs(DeviceSession& session, SortScratch scratch, const Index* keys, Index* sorted_keys,
                const Index* values, Index* sorted_values, Offset count, int bits);

}  // namespace lufact::gpu
