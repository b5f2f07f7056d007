// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "core/base/types.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {

// An array of `size` zeros whose pages several threads have touched first. Mapping new pages takes
// longer than the zeroing, which std::vector does on one thread.
template <class T>
std::vector<T> zeros_touched_by(int threads, Offset size) {
  constexpr Offset page_bytes = 4096;
  std::vector<T> array;
  array.reserve(checked_bytes(size, sizeof(T)) / sizeof(T));
  T* const storage = array.data();
  constexpr Offset stride = page_bytes / Offset{sizeof(T)};
  const Offset share = (size + threads - 1) / threads;
  parallel_for(threads, threads, [&](Offset part) {
    const Offset end = std::min(size, (part + 1) * share);
    for (Offset k = part * share; k < end; k += stride) std::construct_at(storage + k, T{});
  });
  array.resize(static_cast<std::size_t>(size));
  return array;
}

}  // namespace lufact
