// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "gpu/batch/batch_generator.hpp"
#include "gpu/batch/batch_places.cuh"
#include "gpu/batch/batch_source.cuh"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 256;
// Blocks go on with the next part of an array where it has more.
constexpr Offset most_blocks = 1 << 16;

LaunchShape shape_for(Offset items) {
  return {std::min(ceil_div(items, block_threads), most_blocks), block_threads};
}

__device__ Offset first_item() {
  return static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ Offset next_item() {
  return static_cast<Offset>(gridDim.x) * blockDim.x;
}

template <class Real>
__global__ void fill_matrices_kernel(BatchSource source, BatchPlaces a) {
  const Offset entries = a.count * source.n * a.columns;
  for (Offset number = first_item(); number < entries; number += next_item()) {
    const EntryNumber at(a, number, source.n);
    place_of<Real>(a, at.k, at.i, at.j) = source_entry<Real>(source, at.k, at.i, at.j);
  }
}

template <class Real>
__global__ void fill_right_hand_sides_kernel(BatchSource source, BatchPlaces b) {
  const Offset entries = b.count * source.n * b.columns;
  for (Offset number = first_item(); number < entries; number += next_item()) {
    const EntryNumber at(b, number, source.n);
    place_of<Real>(b, at.k, at.i, at.j) = source_rhs<Real>(source, at.k, at.i, at.j);
  }
}

// k -> (k * factor + shift) mod count is a bijection where factor and count have no common factor.
struct Shuffle {
  Offset count = 1, factor = 1, shift = 0;
};

__global__ void fill_addresses_kernel(char* first, Offset matrix_bytes, Shuffle shuffle,
                                      void** addresses) {
  for (Offset k = first_item(); k < shuffle.count; k += next_item()) {
    const Offset place = (k * shuffle.factor + shuffle.shift) % shuffle.count;
    addresses[k] = first + place * matrix_bytes;
  }
}

Shuffle shuffle_of(Offset count, std::uint64_t seed) {
  constexpr Offset most = 3'000'000'000;  // k * factor + shift stays below 2^63
  if (count > most) {
    throw Error(Outcome::unsupported, "too_many_matrices",
                "the layout pointers takes at most 3000000000 matrices");
  }
  const auto bounded = [count](std::uint64_t bits) {
    return static_cast<Offset>(bits % static_cast<std::uint64_t>(count));
  };
  Shuffle shuffle{count, bounded(hash64(seed, 1)), bounded(hash64(seed, 2))};
  while (std::gcd(shuffle.factor, count) != 1) shuffle.factor = shuffle.factor % count + 1;
  return shuffle;
}

// Adds what the threads of a block have found to *total.
__device__ void add_counts(unsigned long long found, unsigned long long* total) {
  for (int lanes = warp_size / 2; lanes > 0; lanes /= 2) {
    found += __shfl_down_sync(0xffffffffU, found, lanes);
  }
  if (threadIdx.x % warp_size == 0 && found > 0) atomicAdd(total, found);
}

template <class Real>
__device__ bool has_all_bytes(Real value, int byte) {
  unsigned char bytes[sizeof(Real)];
  memcpy(bytes, &value, sizeof(Real));
  for (const unsigned char one : bytes) {
    if (one != byte) return false;
  }
  return true;
}

template <class Real>
__global__ void count_damaged_padding_kernel(BatchPlaces a, Index n, int byte,
                                             unsigned long long* total) {
  const Index rows = a.ld - n;
  const Offset entries = a.count * rows * a.columns;
  unsigned long long found = 0;
  for (Offset number = first_item(); number < entries; number += next_item()) {
    const EntryNumber at(a, number, rows);
    if (!has_all_bytes(place_of<Real>(a, at.k, n + at.i, at.j), byte)) ++found;
  }
  add_counts(found, total);
}

__global__ void count_other_bytes_kernel(const unsigned char* data, Offset bytes, int byte,
                                         unsigned long long* total) {
  unsigned long long found = 0;
  for (Offset p = first_item(); p < bytes; p += next_item()) found += data[p] != byte ? 1 : 0;
  add_counts(found, total);
}

template <class Count>
Offset counted(DeviceSession& session, const Count& count) {
  Buffer<unsigned long long> total(session, MemoryRole::scratch, 1, "a count of the batch");
  total.fill_bytes(0);
  count(total.data());
  return static_cast<Offset>(read_value(session, total.data()));
}

}  // namespace

void fill_matrices(DeviceSession& session, const BatchSource& source, const BatchPlaces& a) {
  const LaunchShape shape = shape_for(a.count * source.n * a.columns);
  if (a.precision == Precision::float32) {
    launch(session, shape, fill_matrices_kernel<float>, source, a);
  } else {
    launch(session, shape, fill_matrices_kernel<double>, source, a);
  }
}

void fill_right_hand_sides(DeviceSession& session, const BatchSource& source,
                           const BatchPlaces& b) {
  const LaunchShape shape = shape_for(b.count * source.n * b.columns);
  if (b.precision == Precision::float32) {
    launch(session, shape, fill_right_hand_sides_kernel<float>, source, b);
  } else {
    launch(session, shape, fill_right_hand_sides_kernel<double>, source, b);
  }
}

void fill_addresses(DeviceSession& session, void* first, std::size_t matrix_bytes, Offset count,
                    std::uint64_t seed, void** addresses) {
  launch(session, shape_for(count), fill_addresses_kernel, static_cast<char*>(first),
         static_cast<Offset>(matrix_bytes), shuffle_of(count, seed), addresses);
}

Offset count_damaged_padding(DeviceSession& session, const BatchPlaces& a, Index n, int byte) {
  if (a.ld == n) return 0;
  const LaunchShape shape = shape_for(a.count * (a.ld - n) * a.columns);
  return counted(session, [&](unsigned long long* total) {
    if (a.precision == Precision::float32) {
      launch(session, shape, count_damaged_padding_kernel<float>, a, n, byte, total);
    } else {
      launch(session, shape, count_damaged_padding_kernel<double>, a, n, byte, total);
    }
  });
}

Offset count_other_bytes(DeviceSession& session, const void* data, std::size_t bytes, int byte) {
  const auto size = static_cast<Offset>(bytes);
  return counted(session, [&](unsigned long long* total) {
    launch(session, shape_for(size), count_other_bytes_kernel,
           static_cast<const unsigned char*>(data), size, byte, total);
  });
}

}  // namespace lufact::gpu
