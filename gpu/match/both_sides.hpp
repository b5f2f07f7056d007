// SPDX-License-Identifier: BSD-3-Clause
// What lets the steps of the matching be compiled for the device and, in every build, for the host:
// the kernel's threads share memory, the host's one thread has it for itself.
#pragma once
#include <cstring>

#include "core/base/types.hpp"

#ifdef __CUDACC__
#define LUFACT_BOTH_SIDES __host__ __device__
#else
#define LUFACT_BOTH_SIDES
#endif

namespace lufact::gpu {

using Word = unsigned long long;

// The bits of a value as another type of the same size.
template <class To, class From>
LUFACT_BOTH_SIDES To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

// A value that other threads of the same step may change: at most as old as the step.
template <class T>
LUFACT_BOTH_SIDES T current(const T& place) {
#ifdef __CUDA_ARCH__
  return *const_cast<const volatile T*>(&place);
#else
  return place;
#endif
}

// A value that other threads of the same step may read.
template <class T>
LUFACT_BOTH_SIDES void set_current(T& place, T value) {
#ifdef __CUDA_ARCH__
  *const_cast<volatile T*>(&place) = value;
#else
  place = value;
#endif
}

// Relaxed operations on one place; they return what was there before.
template <class T>
LUFACT_BOTH_SIDES T lower_to(T& place, T value) {
#ifdef __CUDA_ARCH__
  return atomicMin(&place, value);
#else
  const T before = place;
  if (value < before) place = value;
  return before;
#endif
}
template <class T>
LUFACT_BOTH_SIDES T raise_to(T& place, T value) {
#ifdef __CUDA_ARCH__
  return atomicMax(&place, value);
#else
  const T before = place;
  if (value > before) place = value;
  return before;
#endif
}
template <class T>
LUFACT_BOTH_SIDES T add_to(T& place, T value) {
#ifdef __CUDA_ARCH__
  return atomicAdd(&place, value);
#else
  const T before = place;
  place += value;
  return before;
#endif
}
template <class T>
LUFACT_BOTH_SIDES T exchange(T& place, T value) {
#ifdef __CUDA_ARCH__
  return atomicExch(&place, value);
#else
  const T before = place;
  place = value;
  return before;
#endif
}

template <class T>
LUFACT_BOTH_SIDES constexpr T lesser(T a, T b) {
  return b < a ? b : a;
}
template <class T>
LUFACT_BOTH_SIDES constexpr T larger(T a, T b) {
  return a < b ? b : a;
}

}  // namespace lufact::gpu
