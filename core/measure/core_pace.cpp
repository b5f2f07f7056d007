// SPDX-License-Identifier: BSD-3-Clause
#include "core/measure/core_pace.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace lufact {
namespace {

constexpr int tries = 3;
constexpr int rounds = 5'000;  // of eight additions, or of two multiplications

// Each variable in a register of its own, whose value nobody can know: the additions stay as they
// are.
void add_independently() {
  std::uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
  for (int k = 0; k < rounds; ++k) {
    a += 1, b += 1, c += 1, d += 1, e += 1, f += 1, g += 1, h += 1;
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
  }
}

void multiply_in_a_chain() {
  std::uint64_t a = 3;
  for (int k = 0; k < rounds; ++k) {
    a *= a;
    asm volatile("" : "+r"(a));
    a *= a;
    asm volatile("" : "+r"(a));
  }
}

// Of all tries the least, which no interrupt was in.
template <class Work>
double least_seconds(const Work& work) {
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < tries; ++k) {
    const Clock::time_point begin = Clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return least;
}

}  // namespace

CorePace measure_core_pace() {
  CorePace pace;
  if (const int processor = sched_getcpu(); processor >= 0) pace.processor = processor;
  pace.independent_s = least_seconds(add_independently);
  pace.dependent_s = least_seconds(multiply_in_a_chain);
  return pace;
}

}  // namespace lufact
