// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace lufact::gpu {

// The arrays that are held in device memory, by name, for whoever asks what a peak was made of.
class HeldMemory {
 public:
  void add(const void* at, std::uint64_t bytes, std::string_view what);
  // Of the array there, so many bytes are for something else.
  void name_part(const void* at, std::uint64_t bytes, std::string_view what);
  void remove(const void* at);
  // Bytes by name when most was held.
  std::map<std::string, std::uint64_t> at_peak();

 private:
  struct Array {
    std::uint64_t bytes;
    std::string what;
  };
  void keep_peak();

  std::unordered_multimap<const void*, Array> arrays_;  // an array for each of its names
  std::uint64_t held_ = 0, most_ = 0;
  bool peak_is_now_ = false;  // and not yet in peak_
  std::map<std::string, std::uint64_t> peak_;
};

// That of this process; null unless keep_held_memory() was called.
HeldMemory* held_memory() noexcept;

}  // namespace lufact::gpu
