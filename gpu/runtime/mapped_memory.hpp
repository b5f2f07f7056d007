// SPDX-License-Identifier: BSD-3-Clause
// A range of addresses of one device behind which memory of the card is mapped piece by piece, by
// the functions of the driver for virtual memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace lufact::gpu {

// Offset and bytes.
using MappedPiece = std::pair<const std::uint64_t, std::uint64_t>;

class MappedMemory {
 public:
  // Whether the device has virtual memory management at all.
  static bool is_supported(int device);

  // Reserves at least `bytes` of addresses, and no memory. Throws Error{unsupported,
  // "no_virtual_memory"} where the driver has none to give, with a message that begins with `what`
  // and ends with `remedy`; {unsupported, "old_driver"} where it lacks the functions.
  MappedMemory(int device, std::uint64_t bytes, std::string_view what, std::string_view remedy);
  // Unmaps all. Nothing may use the memory any more.
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  // Maps memory at [offset, offset + bytes), where none is mapped: both are multiples of the
  // granule. False where the card has none left; throws Error{error, "cuda_error"} otherwise. Does
  // not wait for the device.
  bool map(std::uint64_t offset, std::uint64_t bytes);
  // Gives a piece back to the card, as it was mapped. Nothing may use it any more.
  void unmap(std::uint64_t offset, std::uint64_t bytes) noexcept;
  // Lets another device, which must have peer access, reach what is mapped and what will be.
  void let_in(int device);

  std::byte* data() const noexcept { return reinterpret_cast<std::byte*>(address_); }
  std::uint64_t reserved_bytes() const noexcept { return reserved_; }
  std::uint64_t mapped_bytes() const noexcept { return mapped_; }
  std::uint64_t granule() const noexcept { return granule_; }  // bytes; a power of two
  // Bytes of what is mapped, by offset.
  const std::map<std::uint64_t, std::uint64_t>& pieces() const noexcept { return pieces_; }

 private:
  bool back(std::uint64_t offset, std::uint64_t bytes);

  std::vector<int> devices_;  // that reach the memory; the first has it
  std::uint64_t address_ = 0, reserved_ = 0, mapped_ = 0, granule_ = 0;
  std::map<std::uint64_t, std::uint64_t> pieces_;
};

}  // namespace lufact::gpu
