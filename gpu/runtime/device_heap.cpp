// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/device_heap.hpp"

#include <algorithm>
#include <iterator>

#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

constexpr std::uint64_t alignment = 512;  // of arrays, in bytes, as the pool of CUDA has it
// An array's memory is mapped in about so many pieces, of which each goes back to the card once all
// of it is free: small ones that later arrays do not hold as a whole, and not too many.
constexpr std::uint64_t pieces_of_array = 32;
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
    give_all_back();
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
// has no memory though all that is free went back. Pieces that are free go back in any case before
// others are mapped, so that the heap takes no more of the card than its arrays, holes in pieces
// beside.
bool DeviceHeap::map(std::uint64_t begin, std::uint64_t end) {
  begin -= begin % memory_.granule();
  end = round_up(end, memory_.granule());
  const std::vector<Gap> gaps = find_gaps(begin, end);
  if (gaps.empty()) return true;
  give_all_back();
  if (end > memory_.reserved_bytes()) return false;
  const std::uint64_t granules = round_up((end - begin) / memory_.granule(), pieces_of_array);
  const std::uint64_t most = granules / pieces_of_array * memory_.granule();
  return std::all_of(gaps.begin(), gaps.end(), [&](const Gap& gap) { return map_gap(gap, most); });
}

// What is not mapped, ascending.
std::vector<DeviceHeap::Gap> DeviceHeap::find_gaps(std::uint64_t begin, std::uint64_t end) const {
  const auto& pieces = memory_.pieces();
  auto next = pieces.upper_bound(begin);
  if (next != pieces.begin()) --next;  // that `begin` may lie in
  std::vector<Gap> gaps;
  for (; next != pieces.end() && next->first < end; ++next) {
    if (begin < next->first) gaps.push_back({begin, next->first});
    begin = std::max(begin, next->first + next->second);
  }
  if (begin < end) gaps.push_back({begin, end});
  return gaps;
}

bool DeviceHeap::map_gap(const Gap& gap, std::uint64_t most) {
  for (std::uint64_t begin = gap.begin; begin < gap.end; begin += most) {
    if (!map_piece(begin, std::min(gap.end - begin, most))) return false;
  }
  return true;
}

bool DeviceHeap::map_piece(std::uint64_t begin, std::uint64_t bytes) {
  const std::uint64_t mapped = memory_.mapped_bytes();
  return mapped <= most_bytes_ && bytes <= most_bytes_ - mapped && memory_.map(begin, bytes);
}

bool DeviceHeap::is_free(const MappedPiece& piece) const {
  return places_.is_free(static_cast<Offset>(piece.first),
                         static_cast<Offset>(piece.first + piece.second));
}

bool DeviceHeap::has_free_piece() const {
  const auto& pieces = memory_.pieces();
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](const MappedPiece& piece) { return is_free(piece); });
}

void DeviceHeap::give_all_back() {
  if (!has_free_piece()) return;
  LUFACT_CUDA(cudaStreamSynchronize(stream_));
  unmap_free(0);
}

// Gives pieces without an array back to the card, the last ones first, as long as `keep` bytes stay
// mapped. Nothing on the stream may use what is free.
void DeviceHeap::unmap_free(std::uint64_t keep) noexcept {
  const auto& pieces = memory_.pieces();
  for (auto next = pieces.end(); next != pieces.begin();) {
    const auto piece = std::prev(next);
    if (memory_.mapped_bytes() - piece->second >= keep && is_free(*piece)) {
      memory_.unmap(piece->first, piece->second);
    } else {
      next = piece;
    }
  }
}

}  // namespace lufact::gpu
