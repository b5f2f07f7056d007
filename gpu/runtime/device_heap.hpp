// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "core/base/block_heap.hpp"
#include "gpu/runtime/device_memory.hpp"
#include "gpu/runtime/mapped_memory.hpp"

namespace lufact::gpu {

// A heap of arrays in one range of addresses. Memory of the card is mapped behind the places of
// arrays by its granule (2 MiB), so that the card gives hardly more than the arrays take. It stays
// there when they are freed, until an array needs memory that is not mapped.
class DeviceHeap final : public DeviceMemory {
 public:
  // Takes no more than `most_bytes` from the card, as where that has no more. Throws as
  // MappedMemory does.
  DeviceHeap(int device, cudaStream_t stream,
             std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());
  // Waits for the stream.
  ~DeviceHeap() override;
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;

  cudaError_t allocate(void** pointer, std::size_t bytes) override;
  void deallocate(void* pointer, std::size_t bytes) noexcept override;
  void give_back(std::size_t keep) override;
  void let_in(int device) override;

 private:
  struct Gap {
    std::uint64_t begin, end;
  };
  bool map(std::uint64_t begin, std::uint64_t end);
  std::vector<Gap> find_gaps(std::uint64_t begin, std::uint64_t end) const;
  bool map_gap(const Gap& gap, std::uint64_t most);
  bool map_piece(std::uint64_t begin, std::uint64_t bytes);
  bool is_free(const MappedPiece& piece) const;
  bool has_free_piece() const;
  void give_all_back();
  void unmap_free(std::uint64_t keep) noexcept;
  void leave(std::uint64_t begin, std::uint64_t size) noexcept;

  cudaStream_t stream_;
  std::uint64_t most_bytes_;
  std::mutex mutex_;  // of what follows
  MappedMemory memory_;
  BlockHeap places_;  // of arrays, in bytes from the first address
};

}  // namespace lufact::gpu
