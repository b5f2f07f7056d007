// SPDX-License-Identifier: BSD-3-Clause
#include <cub/device/device_radix_sort.cuh>

#include "gpu/components/radix_sort.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

template <class T>
constexpr int all_bits = 8 * static_cast<int>(sizeof(T));

cudaError_t sort(DeviceSession& session, SortScratch& scratch, const std::uint64_t* keys,
                 std::uint64_t* sorted, Offset count, int bits) {
  return cub::DeviceRadixSort::SortKeys(scratch.data, scratch.bytes, keys, sorted, count, 0, bits,
                                        session.stream());
}

cudaError_t sort(DeviceSession& session, SortScratch& scratch, const Index* keys,
                 Index* sorted_keys, const Index* values, Index* sorted_values, Offset count,
                 int bits) {
  return cub::DeviceRadixSort::SortPairs(scratch.data, scratch.bytes, keys, sorted_keys, values,
                                         sorted_values, count, 0, bits, session.stream());
}

}  // namespace

std::size_t sort_keys_bytes(DeviceSession& session, Offset count) {
  SortScratch needed;
  LUFACT_CUDA(sort(session, needed, nullptr, nullptr, count, all_bits<std::uint64_t>));
  return needed.bytes;
}

std::size_t sort_pairs_bytes(DeviceSession& session, Offset count) {
  SortScratch needed;
  LUFACT_CUDA(sort(session, needed, nullptr, nullptr, nullptr, nullptr, count, all_bits<Index>));
  return needed.bytes;
}

void sort_keys(DeviceSession& session, SortScratch scratch, const std::uint64_t* keys,
               std::uint64_t* sorted, Offset count, int bits) {
  LUFACT_CUDA(sort(session, scratch, keys, sorted, count, bits));
}

void sort_pairs(DeviceSession& session, SortScratch scratch, const Index* keys, Index* sorted_keys,
                const Index* values, Index* sorted_values, Offset count, int bits) {
  LUFACT_CUDA(sort(session, scratch, keys, sorted_keys, values, sorted_values, count, bits));
}

}  // namespace lufact::gpu
