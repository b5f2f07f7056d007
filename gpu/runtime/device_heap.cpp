// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/device_heap.hpp"

#include <algorithm>
#include <iterator>

#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

constexpr std::uint64_t alignment = 512;  // of arrays, in bytes, as the pool of CUDA has it
// Bytes that are mapped in one piece at most. A piece goes back to the card once all of it is free.
constexpr std::uint64_t most_piece = 64ULL << 20;
// Addresses for so many times the memory of the card: free places too small for an array stay
// behind, in front of it.
constexpr std::uint64_t address_factor = 4;

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::uint64_t card_bytes() {
  std::size_t free_bytes = 0, total = 0;
  LUFACT_CUDA(cudaMemGetInfo(&free_bytes, &total));
  return total;
}

}  // namespace

DeviceHeap::DeviceHeap(int device, cudaStream_t stream, std::uint64_t most_bytes)
    : stream_(stream),
      most_bytes_(most_bytes),
      memory_(device, address_factor * card_bytes(), "device memory",
              "set LUFACT_DEVICE_MEMORY=pool") {}

DeviceHeap::~DeviceHeap() {
  LUFACT_CUDA_NOEXCEPT(cudaStreamSynchronize(stream_));
}

cudaError_t DeviceHeap::allocate(void** pointer, std::size_t bytes) {
  if (bytes > memory_.reserved_bytes()) return cudaErrorMemoryAllocation;
  const std::uint64_t size = round_up(bytes, alignment);
  const std::lock_guard lock(mutex_);
  const auto begin = static_cast<std::uint64_t>(places_.take(static_cast<Offset>(size)));
  bool mapped = false;
  try {
    mapped = map(begin, begin + size);
  } catch (...) {
    leave(begin, size);
    throw;
  }
  if (!mapped) {
    leave(begin, size);
    unmap_free(0);  // map() has waited for the stream, and none of it was used since
    return cudaErrorMemoryAllocation;
  }
  *pointer = memory_.data() + begin;
  return cudaSuccess;
}

void DeviceHeap::deallocate(void* pointer, std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  const auto begin = static_cast<std::uint64_t>(static_cast<std::byte*>(pointer) - memory_.data());
  leave(begin, round_up(bytes, alignment));
}

void DeviceHeap::give_back(std::size_t keep) {
  const std::lock_guard lock(mutex_);  // first: what is free now was freed before the wait
  LUFACT_CUDA(cudaStreamSynchronize(stream_));
  unmap_free(keep);
}

void DeviceHeap::let_in(int device) {
  const std::lock_guard lock(mutex_);
  memory_.let_in(device);
}

void DeviceHeap::leave(std::uint64_t begin, std::uint64_t size) noexcept {
  places_.give_back(static_cast<Offset>(begin), static_cast<Offset>(size));
}

// Maps memory behind the place of an array. False where there are no addresses left, or the card
// has no memory though all that is free elsewhere went back.
bool DeviceHeap::map(std::uint64_t begin, std::uint64_t end) {
  end = round_up(end, memory_.granule());
  const bool has_addresses = end <= memory_.reserved_bytes();
  if (has_addresses && map_missing(begin, end)) return true;
  LUFACT_CUDA(cudaStreamSynchronize(stream_));
  unmap_free(0);
  return has_addresses && map_missing(begin, end);
}

// Maps what is not mapped yet, in as large pieces as may be. `end` is a multiple of the granule.
bool DeviceHeap::map_missing(std::uint64_t begin, std::uint64_t end) {
  begin -= begin % memory_.granule();
  auto next = memory_.pieces().upper_bound(begin);
  if (next != memory_.pieces().begin()) --next;  // that `begin` may lie in
  for (; begin < end; ++next) {
    const bool last = next == memory_.pieces().end();
    const std::uint64_t gap_end = last ? end : std::min(end, next->first);
    while (begin < gap_end) {
      const std::uint64_t bytes =
          std::min(gap_end - begin, round_up(most_piece, memory_.granule()));
      if (!map_piece(begin, bytes)) return false;
      begin += bytes;
    }
    if (last) return true;
    begin = std::max(begin, next->first + next->second);
  }
  return true;
}

bool DeviceHeap::map_piece(std::uint64_t begin, std::uint64_t bytes) {
  const std::uint64_t mapped = memory_.mapped_bytes();
  return mapped <= most_bytes_ && bytes <= most_bytes_ - mapped && memory_.map(begin, bytes);
}

// Gives pieces without an array back to the card, the last ones first, as long as `keep` bytes stay
// mapped. Nothing on the stream may use what is free.
void DeviceHeap::unmap_free(std::uint64_t keep) noexcept {
  const auto& pieces = memory_.pieces();
  for (auto next = pieces.end(); next != pieces.begin();) {
    const auto piece = std::prev(next);
    const auto [begin, bytes] = *piece;
    const bool spare = memory_.mapped_bytes() - bytes >= keep;
    if (spare && places_.is_free(static_cast<Offset>(begin), static_cast<Offset>(begin + bytes))) {
      memory_.unmap(begin, bytes);
    } else {
      next = piece;
    }
  }
}

}  // namespace lufact::gpu
