// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/test/failing_allocations.hpp"

#include <omp.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> fails_in_regions{false};

}  // namespace

void* operator new(std::size_t bytes) {
  if (fails_in_regions.load(std::memory_order_relaxed) && omp_in_parallel() != 0) {
    throw std::bad_alloc();
  }
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace lufact::test {

NoMemoryInRegions::NoMemoryInRegions() noexcept {
  fails_in_regions = true;
}
NoMemoryInRegions::~NoMemoryInRegions() {
  fails_in_regions = false;
}

}  // namespace lufact::test
