// SPDX-License-Identifier: BSD-3-Clause
// Arrays that begin at a cache line, so that vectors of any length are loaded from one line each.
#pragma once
#include <cstdint>

#include "core/base/raw_vector.hpp"
#include "core/base/types.hpp"

namespace lufact {

inline constexpr std::size_t line_bytes = 64;  // of a cache

// The first entry of `storage` that begins a line.
template <class T>
T* aligned(RawVector<T>& storage) {
  const auto misplaced = reinterpret_cast<std::uintptr_t>(storage.data()) % line_bytes;
  return storage.data() + (line_bytes - misplaced) % line_bytes / sizeof(T);
}

// For `count` entries from aligned() on. Throws std::bad_alloc.
template <class T>
void resize_aligned(RawVector<T>& storage, Offset count) {
  storage.resize(checked_bytes(count + Offset{line_bytes / sizeof(T)}, sizeof(T)) / sizeof(T));
}

}  // namespace lufact
