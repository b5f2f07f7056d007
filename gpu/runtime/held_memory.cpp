// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/held_memory.hpp"

#include <optional>

#include "gpu/runtime/driver_memory_watch.hpp"

namespace lufact::gpu {
namespace {

std::optional<HeldMemory> held_by_process;

}  // namespace

HeldMemory* held_memory() noexcept {
  return held_by_process ? &*held_by_process : nullptr;
}

void keep_held_memory() {
  held_by_process.emplace();
}

std::map<std::string, std::uint64_t> held_memory_at_peak() {
  return held_by_process ? held_by_process->at_peak() : std::map<std::string, std::uint64_t>();
}

void HeldMemory::add(const void* at, std::uint64_t bytes, std::string_view what) {
  arrays_.emplace(at, Array{bytes, std::string(what)});
  held_ += bytes;
  if (held_ <= most_) return;
  most_ = held_;
  peak_is_now_ = true;
}

void HeldMemory::name_part(const void* at, std::uint64_t bytes, std::string_view what) {
  const auto array = arrays_.find(at);
  if (array == arrays_.end() || bytes == 0) return;
  array->second.bytes -= bytes;
  arrays_.emplace(at, Array{bytes, std::string(what)});
}

void HeldMemory::remove(const void* at) {
  const auto [first, end] = arrays_.equal_range(at);
  if (first == end) return;  // from before the names were kept
  keep_peak();
  for (auto array = first; array != end; ++array) held_ -= array->second.bytes;
  arrays_.erase(first, end);
}

std::map<std::string, std::uint64_t> HeldMemory::at_peak() {
  keep_peak();
  return peak_;
}

void HeldMemory::keep_peak() {
  if (!peak_is_now_) return;
  peak_is_now_ = false;
  peak_.clear();
  for (const auto& [at, array] : arrays_) peak_[array.what] += array.bytes;
}

}  // namespace lufact::gpu
