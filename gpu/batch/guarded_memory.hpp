// SPDX-License-Identifier: BSD-3-Clause
// Memory of the device between two zones that nothing may write to.
#pragma once
#include <cstddef>
#include <string_view>

#include "gpu/batch/batch_generator.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

// What every byte is that nothing has written to: as an integer beyond every order, as a number
// finite and larger than any result.
inline constexpr int untouched_byte = 0x7b;

class GuardedMemory {
 public:
  GuardedMemory() = default;
  // `bytes` from an address that lies `shift` bytes behind one aligned to 256; none for 0 bytes.
  GuardedMemory(DeviceSession& session, std::size_t bytes, std::size_t shift, std::string_view what)
      : bytes_(bytes), before_(guard_bytes + shift) {
    if (bytes == 0) return;
    const std::size_t all = guarded_bytes(bytes, shift);
    memory_ = Buffer<std::byte>(session, MemoryRole::resident, static_cast<Offset>(all), what);
  }

  static std::size_t guarded_bytes(std::size_t bytes, std::size_t shift) {
    return bytes == 0 ? 0 : bytes + shift + 2 * guard_bytes;
  }

  void* data() noexcept { return memory_.data() == nullptr ? nullptr : memory_.data() + before_; }
  const void* data() const noexcept { return const_cast<GuardedMemory*>(this)->data(); }
  std::size_t bytes() const noexcept { return bytes_; }  // without the zones
  std::size_t held_bytes() const { return memory_.bytes(); }

  void make_untouched() { memory_.fill_bytes(untouched_byte); }
  Offset damaged_bytes(DeviceSession& session) const {
    if (bytes_ == 0) return 0;
    const std::byte* const begin = memory_.data();
    const std::size_t behind = before_ + bytes_;
    return count_other_bytes(session, begin, before_, untouched_byte) +
           count_other_bytes(session, begin + behind, memory_.bytes() - behind, untouched_byte);
  }

 private:
  static constexpr std::size_t guard_bytes = 1024;

  Buffer<std::byte> memory_;
  std::size_t bytes_ = 0, before_ = 0;
};

}  // namespace lufact::gpu
