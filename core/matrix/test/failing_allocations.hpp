// SPDX-License-Identifier: BSD-3-Clause
// What a host without memory does to threads of a region. A test that uses it has
// failing_allocations.cpp among its sources, which replaces the global operator new.
#pragma once

namespace lufact::test {

// While it lives, operator new throws std::bad_alloc within parallel regions of several threads.
class NoMemoryInRegions {
 public:
  NoMemoryInRegions() noexcept;
  ~NoMemoryInRegions();
  NoMemoryInRegions(const NoMemoryInRegions&) = delete;
  NoMemoryInRegions& operator=(const NoMemoryInRegions&) = delete;
};

}  // namespace lufact::test
