// SPDX-License-Identifier: BSD-3-Clause
// Several arrays in one allocation: each allocation takes longer than a small kernel.
#pragma once
#include <cstddef>

#include "core/base/types.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

// Hands out consecutive arrays of a block, each aligned to 256 bytes. Without a block it only adds
// up their sizes.
class Carver {
 public:
  Carver() = default;
  explicit Carver(std::byte* block) : block_(block) {}

  template <class T>
  T* take(Offset count) {
    constexpr std::size_t alignment = 256;
    const std::size_t begin = (used_ + alignment - 1) / alignment * alignment;
    used_ = begin + checked_bytes(count, sizeof(T));
    return block_ == nullptr ? nullptr : reinterpret_cast<T*>(block_ + begin);
  }
  Offset used() const noexcept { return static_cast<Offset>(used_); }

 private:
  std::byte* block_ = nullptr;
  std::size_t used_ = 0;
};

// One scratch allocation for all arrays that lay_out(carver) takes. lay_out is called twice and
// sets its pointers the second time.
template <class LayOut>
Buffer<std::byte> carve(DeviceSession& session, std::string_view what, const LayOut& lay_out) {
  Carver sizes;
  lay_out(sizes);
  Buffer<std::byte> block(session, MemoryRole::scratch, sizes.used(), what);
  Carver arrays(block.data());
  lay_out(arrays);
  return block;
}

}  // namespace lufact::gpu
