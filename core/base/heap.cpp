// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/heap.hpp"

#include <cstdlib>  // defines __GLIBC__
#ifdef __GLIBC__
#include <malloc.h>

#include <limits>
#endif

namespace lufact {

void keep_freed_memory() noexcept {
#ifdef __GLIBC__
  constexpr int largest_threshold = 32 << 20;  // that glibc accepts
  mallopt(M_MMAP_THRESHOLD, largest_threshold);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace lufact
