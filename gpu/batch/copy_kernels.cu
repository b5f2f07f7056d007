// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>

#include "gpu/batch/copy_kernels.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 256;
// Loads of a thread that are under way at once: some 32 KB of a multiprocessor hide the latency.
constexpr int unroll = 4;
constexpr Offset line_numbers = 32;  // in a line of the cache

// Arrays of `bytes` bytes, a multiple of 4; may be the same.
struct CopiedArray {
  const char* from = nullptr;
  char* to = nullptr;
  Offset bytes = 0;
  int width = 4;  // bytes that a thread moves at a time: 4, 8 or 16, aligned so on both sides
  Offset blocks = 0;
};

// 1, 2, ..., period, 1, 2, ...; with period 0 zeros. Every block writes some of them.
struct WrittenNumbers {
  std::int32_t* to = nullptr;
  Offset count = 0;
  std::int32_t period = 0;
  Offset per_block = 0;
};

struct FlatCopy {
  CopiedArray a, b;
  WrittenNumbers pivots, info;
};

// Words `first`, first + step, ...: all are loaded before the first is stored.
template <class Word>
__device__ void copy_words(const char* from, char* to, Offset words, Offset first, Offset step) {
  Word kept[unroll];
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    const Offset at = first + u * step;
    if (at < words) kept[u] = __ldcs(reinterpret_cast<const Word*>(from) + at);
  }
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    const Offset at = first + u * step;
    if (at < words) __stcs(reinterpret_cast<Word*>(to) + at, kept[u]);
  }
}

template <class Word>
__device__ void copy_tile(const CopiedArray& array, Offset block) {
  const Offset words = array.bytes / static_cast<Offset>(sizeof(Word));
  const Offset first = block * block_threads * unroll + threadIdx.x;
  copy_words<Word>(array.from, array.to, words, first, block_threads);
}

// Bytes behind the last whole word.
__device__ void copy_rest(const CopiedArray& array) {
  const Offset first = array.bytes / array.width * array.width;
  for (Offset at = first + Offset{4} * threadIdx.x; at < array.bytes;
       at += Offset{4} * blockDim.x) {
    *reinterpret_cast<std::int32_t*>(array.to + at) =
        *reinterpret_cast<const std::int32_t*>(array.from + at);
  }
}

__device__ void copy_part(const CopiedArray& array, Offset block) {
  if (array.width == 16) {
    copy_tile<int4>(array, block);
  } else if (array.width == 8) {
    copy_tile<int2>(array, block);
  } else {
    copy_tile<int>(array, block);
  }
  if (block == 0) copy_rest(array);
}

__device__ void write_part(const WrittenNumbers& numbers, Offset block) {
  const Offset first = block * numbers.per_block;
  const Offset end = min(first + numbers.per_block, numbers.count);
  if (first >= end) return;
  const auto period = static_cast<unsigned>(numbers.period);
  const unsigned before = period == 0 ? 0 : static_cast<unsigned>(first % numbers.period);
  for (Offset at = first + threadIdx.x; at < end; at += block_threads) {
    const unsigned number = before + static_cast<unsigned>(at - first);
    __stcs(numbers.to + at, period == 0 ? 0 : static_cast<int>(number % period) + 1);
  }
}

__global__ void __launch_bounds__(block_threads) flat_copy_kernel(FlatCopy copy) {
  const Offset block = blockIdx.x;
  if (block < copy.a.blocks) {
    copy_part(copy.a, block);
  } else {
    copy_part(copy.b, block - copy.a.blocks);
  }
  write_part(copy.pivots, block);
  write_part(copy.info, block);
}

// Matrices behind addresses, `bytes` each, a multiple of 4; `lanes` neighbouring threads a matrix.
struct ScatteredArray {
  const char* const* from = nullptr;
  char* const* to = nullptr;
  Offset bytes = 0;
  int lanes = 1;
};

struct ScatteredCopy {
  ScatteredArray a, b;
  std::int32_t *pivots = nullptr, *info = nullptr;
  Index n = 1;
  Offset count = 0;
};

template <class Word>
__device__ void copy_all_words(const char* from, char* to, Offset bytes, int lane, int lanes) {
  const Offset words = bytes / static_cast<Offset>(sizeof(Word));
  for (Offset first = lane; first < words; first += lanes * unroll) {
    copy_words<Word>(from, to, words, first, lanes);
  }
}

__device__ void copy_matrix(const ScatteredArray& array, Offset k, int lane) {
  const char* const from = array.from[k];
  char* const to = array.to[k];
  const std::uint64_t both = reinterpret_cast<std::uint64_t>(from) |
                             reinterpret_cast<std::uint64_t>(to) |
                             static_cast<std::uint64_t>(array.bytes);
  if (both % 16 == 0) {
    copy_all_words<int4>(from, to, array.bytes, lane, array.lanes);
  } else if (both % 8 == 0) {
    copy_all_words<int2>(from, to, array.bytes, lane, array.lanes);
  } else {
    copy_all_words<int>(from, to, array.bytes, lane, array.lanes);
  }
}

__global__ void __launch_bounds__(block_threads) scattered_copy_kernel(ScatteredCopy copy) {
  const Offset thread = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Offset k = thread / copy.a.lanes;
  if (k >= copy.count) return;
  const int lane = static_cast<int>(thread % copy.a.lanes);
  copy_matrix(copy.a, k, lane);
  if (copy.b.from != nullptr) copy_matrix(copy.b, k, lane);
  for (Index i = lane; copy.pivots != nullptr && i < copy.n; i += copy.a.lanes) {
    copy.pivots[k * copy.n + i] = i + 1;
  }
  if (lane == 0 && copy.info != nullptr) copy.info[k] = 0;
}

int shared_alignment(const void* from, const void* to) {
  const auto both = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
  return both % 16 == 0 ? 16 : both % 8 == 0 ? 8 : 4;
}

CopiedArray copied(const void* from, void* to, Offset bytes) {
  CopiedArray array{static_cast<const char*>(from), static_cast<char*>(to), bytes,
                    shared_alignment(from, to)};
  // At least one block, which copies the rest.
  array.blocks = ceil_div(bytes, Offset{block_threads} * unroll * array.width);
  return array;
}

// Blocks write whole lines of the cache.
WrittenNumbers written(std::int32_t* to, Offset count, std::int32_t period, Offset blocks) {
  if (to == nullptr) return {};
  return {to, count, period, ceil_div(ceil_div(count, blocks), line_numbers) * line_numbers};
}

// Neighbouring threads move a line of the cache, 16 bytes each, and more of them the rest, where a
// thread would have to go around again.
int lanes_for(Offset bytes) {
  int lanes = 1;
  while (lanes < warp_size && Offset{lanes} * 16 * (lanes < 8 ? 1 : unroll) < bytes) lanes *= 2;
  return lanes;
}

Offset entry_bytes(const ArrayProblem& problem) {
  return problem.precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

Offset matrix_bytes(const ArrayProblem& problem) {
  return Offset{problem.ld} * problem.columns * entry_bytes(problem);
}

Offset rhs_bytes(const ArrayProblem& problem) {
  return Offset{problem.rows} * problem.rhs * entry_bytes(problem);
}

ScatteredArray scattered(const void* from, void* to, Offset bytes) {
  return {static_cast<const char* const*>(from), static_cast<char* const*>(to), bytes,
          lanes_for(bytes)};
}

void copy_flat(DeviceSession& session, const ArrayProblem& problem, const ArrayOperands& operands,
               Offset count) {
  FlatCopy copy;
  copy.a = copied(operands.a, operands.result, count * matrix_bytes(problem));
  if (problem.rhs > 0) copy.b = copied(operands.b, operands.b, count * rhs_bytes(problem));
  const Offset blocks = copy.a.blocks + copy.b.blocks;
  copy.pivots = written(operands.pivots, count * problem.order(), problem.order(), blocks);
  copy.info = written(operands.info, count, 0, blocks);
  gpu::launch(session, {blocks, block_threads}, flat_copy_kernel, copy);
}

void copy_scattered(DeviceSession& session, const ArrayProblem& problem,
                    const ArrayOperands& operands, Offset count) {
  ScatteredCopy copy;
  copy.a = scattered(operands.a, operands.result, matrix_bytes(problem));
  if (problem.rhs > 0) copy.b = scattered(operands.b, operands.b, rhs_bytes(problem));
  copy.b.lanes = copy.a.lanes;
  copy.pivots = operands.pivots;
  copy.info = operands.info;
  copy.n = problem.order();
  copy.count = count;
  gpu::launch(session, {ceil_div(count * copy.a.lanes, block_threads), block_threads},
              scattered_copy_kernel, copy);
}

}  // namespace

void copy_arrays(DeviceSession& session, const ArrayProblem& problem, const ArrayOperands& operands,
                 Offset count) {
  if (count == 0) return;
  if (problem.layout == ArrayLayout::pointers) {
    copy_scattered(session, problem, operands, count);
  } else {
    copy_flat(session, problem, operands, count);
  }
}

}  // namespace lufact::gpu
