// SPDX-License-Identifier: BSD-3-Clause
// Device memory, from the heap and from the pool of CUDA.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/test/variable.hpp"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/check.hpp"
#include "gpu/runtime/device_heap.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/pool_memory.hpp"

namespace lufact::gpu {
namespace {

using ::testing::Each;

constexpr std::uint64_t mib = 1ULL << 20;
constexpr std::uint64_t tables = 4 * mib;  // that the driver may take beside what is mapped

std::uint64_t free_on_card() {
  std::size_t free_bytes = 0, total = 0;
  LUFACT_CUDA(cudaMemGetInfo(&free_bytes, &total));
  return free_bytes;
}

// An array that is filled with one value.
struct Filled {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  int value = 0;
};

template <class Memory>
class MemoryOfDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
    LUFACT_CUDA(cudaSetDevice(0));
    LUFACT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    try {
      memory_ = std::make_unique<Memory>(0, stream_);
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    warm_up();
    free_before_ = free_on_card();
  }
  void TearDown() override {
    memory_.reset();
    if (stream_ != nullptr) LUFACT_CUDA(cudaStreamDestroy(stream_));
  }

  // What the driver takes for its first copies and mappings is no part of what tests count.
  void warm_up() {
    const Filled array = take_filled(mib, 1);
    expect_filled(array);
    leave(array);
    memory_->give_back(0);
  }
  // What the card has given since the test began.
  std::uint64_t taken() const {
    const std::uint64_t now = free_on_card();
    return free_before_ - std::min(free_before_, now);
  }
  void* take(std::size_t bytes) {
    void* pointer = nullptr;
    EXPECT_EQ(memory_->allocate(&pointer, bytes), cudaSuccess);
    return pointer;
  }
  Filled take_filled(std::size_t bytes, int value) {
    const Filled array{static_cast<std::byte*>(take(bytes)), bytes, value};
    LUFACT_CUDA(cudaMemsetAsync(array.data, value, bytes, stream_));
    return array;
  }
  void expect_filled(const Filled& array) {
    std::vector<unsigned char> host(array.bytes);
    LUFACT_CUDA(
        cudaMemcpyAsync(host.data(), array.data, array.bytes, cudaMemcpyDeviceToHost, stream_));
    LUFACT_CUDA(cudaStreamSynchronize(stream_));
    const auto kept = std::count(host.begin(), host.end(), static_cast<unsigned char>(array.value));
    EXPECT_EQ(static_cast<std::size_t>(kept), host.size());
  }
  void leave(const Filled& array) { memory_->deallocate(array.data, array.bytes); }

  // Arrays come and go; all must have their value when they go.
  void come_and_go(std::uint64_t seed) {
    std::vector<Filled> arrays;
    for (std::uint64_t step = 0; step < 80; ++step) {
      const std::uint64_t draw = hash64(seed, step);
      if (arrays.empty() || draw % 16 < 9) {
        const std::size_t bytes = 1 + (draw >> 8) % (draw % 5 == 0 ? 9 * mib : 5000);
        arrays.push_back(take_filled(bytes, static_cast<int>(draw >> 56)));
      } else {
        const std::size_t which = (draw >> 8) % arrays.size();
        expect_filled(arrays[which]);
        leave(arrays[which]);
        arrays.erase(arrays.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
    for (const Filled& array : arrays) {
      expect_filled(array);
      leave(array);
    }
  }

  cudaStream_t stream_ = nullptr;
  std::unique_ptr<Memory> memory_;
  std::uint64_t free_before_ = 0;
};

using Kinds = ::testing::Types<DeviceHeap, PoolMemory>;
TYPED_TEST_SUITE(MemoryOfDevice, Kinds);

TYPED_TEST(MemoryOfDevice, ArraysDoNotOverlap) {
  std::vector<Filled> arrays;
  for (const std::size_t bytes : {1UL, 3UL, 511UL, 513UL, 70UL << 20, 7UL, 2UL << 20}) {
    arrays.push_back(this->take_filled(bytes, 0));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays.back().data) % 256, 0u);
  }
  for (const Filled& array : arrays) {
    for (const Filled& other : arrays) {
      if (&array == &other) continue;
      EXPECT_TRUE(array.data + array.bytes <= other.data || other.data + other.bytes <= array.data);
    }
  }
  for (const Filled& array : arrays) this->leave(array);
}

TYPED_TEST(MemoryOfDevice, SanitizeArraysKeepTheirContentsWhileOthersComeAndGo) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    this->come_and_go(seed);
    this->memory_->give_back(0);
  }
}

TYPED_TEST(MemoryOfDevice, TwoThreadsTakeFromOne) {
  std::vector<std::jthread> threads;
  for (const std::uint64_t seed : {4, 5}) {
    threads.emplace_back([this, seed] {
      LUFACT_CUDA(cudaSetDevice(0));
      this->come_and_go(seed);
    });
  }
}

TYPED_TEST(MemoryOfDevice, GivesBackWhatIsFree) {
  const Filled held = this->take_filled(3 * mib, 7);
  for (int round = 0; round < 3; ++round) {
    this->leave(this->take_filled(200 * mib, round));
    EXPECT_GE(this->taken(), 200 * mib);
    this->memory_->give_back(0);
    EXPECT_LE(this->taken(), 64 * mib);
  }
  this->expect_filled(held);
  this->leave(held);
}

TYPED_TEST(MemoryOfDevice, HasNoneBeyondTheCard) {
  void* pointer = nullptr;
  for (const std::uint64_t bytes : {free_on_card() + mib, std::uint64_t{1} << 60}) {
    EXPECT_EQ(this->memory_->allocate(&pointer, bytes), cudaErrorMemoryAllocation);
    cudaGetLastError();
  }
  EXPECT_LE(this->taken(), 32 * mib);  // nothing of what was tried
  this->leave(this->take_filled(mib, 1));
}

class Heap : public MemoryOfDevice<DeviceHeap> {
 protected:
  void limit(std::uint64_t most_bytes) {
    memory_ = std::make_unique<DeviceHeap>(0, stream_, most_bytes);
    free_before_ = free_on_card();
  }
  void expect_taken(std::uint64_t bytes) {
    EXPECT_GE(taken(), bytes);
    EXPECT_LE(taken(), bytes + tables);
  }
};

TEST_F(Heap, TakesFromTheCardByItsGranule) {
  const Filled first = take_filled(5 * mib + 1, 1);
  expect_taken(6 * mib);
  const Filled second = take_filled(100, 2);
  expect_taken(6 * mib);
  const Filled third = take_filled(130 * mib, 3);
  expect_taken(136 * mib);
  for (const Filled& array : {first, second, third}) {
    expect_filled(array);
    leave(array);
  }
  expect_taken(136 * mib);
}

TEST_F(Heap, KeepsAsManyBytesAsItIsTold) {
  std::vector<Filled> arrays;
  for (int k = 0; k < 10; ++k) arrays.push_back(take_filled(20 * mib, k));
  const Filled held = arrays.back();
  arrays.pop_back();
  for (const Filled& array : arrays) leave(array);
  memory_->give_back(100 * mib);
  expect_taken(100 * mib);
  memory_->give_back(50 * mib);
  expect_taken(50 * mib);
  memory_->give_back(0);
  expect_taken(20 * mib);
  expect_filled(held);
  leave(held);
}

TEST_F(Heap, FreePiecesGoBackBeforeOthersAreMapped) {
  const Filled first = take_filled(40 * mib, 1);
  const Filled second = take_filled(1000, 2);
  leave(first);
  const Filled third = take_filled(60 * mib, 3);  // too large for the place of the first
  expect_taken(62 * mib);
  const Filled fourth = take_filled(30 * mib, 4);  // there
  expect_taken(92 * mib);
  for (const Filled& array : {second, third, fourth}) {
    expect_filled(array);
    leave(array);
  }
}

TEST_F(Heap, MemoryComesFromFreePiecesWhereTheCardHasNoMore) {
  limit(104 * mib);
  const Filled first = take_filled(64 * mib, 1);
  const Filled second = take_filled(32 * mib, 2);
  void* pointer = nullptr;
  EXPECT_EQ(memory_->allocate(&pointer, 10 * mib), cudaErrorMemoryAllocation);
  leave(first);
  const Filled third = take_filled(70 * mib, 3);  // too large for the place of the first
  expect_taken(102 * mib);
  EXPECT_EQ(memory_->allocate(&pointer, 4 * mib), cudaErrorMemoryAllocation);
  const Filled fourth = take_filled(2 * mib, 4);
  for (const Filled& array : {second, third, fourth}) {
    expect_filled(array);
    leave(array);
  }
}

TEST_F(Heap, WhatIsRefusedLeavesNothingBehind) {
  limit(200 * mib);
  void* pointer = nullptr;
  EXPECT_EQ(memory_->allocate(&pointer, 300 * mib), cudaErrorMemoryAllocation);
  expect_taken(0);
  leave(take_filled(200 * mib, 1));
}

TEST_F(Heap, AllGoesBackWithIt) {
  take(300 * mib);
  memory_.reset();
  EXPECT_LE(taken(), tables);
}

// Runs without a device too.
TEST(DeviceMemoryChoice, RefusesWhatIsNotKnown) {
  const test::Variable choice("LUFACT_DEVICE_MEMORY", "cupboard");
  try {
    open_device_memory(0, nullptr);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "bad_device_memory");
    EXPECT_THAT(error.what(), ::testing::HasSubstr("LUFACT_DEVICE_MEMORY=cupboard"));
  }
}

TEST(DeviceMemoryChoice, ASessionWorksWithEither) {
  const std::string fault = find_device_fault(0);
  if (!fault.empty()) GTEST_SKIP() << fault;
  for (const char* const name : {"heap", "pool", ""}) {
    const test::Variable choice("LUFACT_DEVICE_MEMORY", name);
    DeviceSession session({0, 64 * mib});
    EXPECT_TRUE(session.let_in(0)) << name;
    Buffer<unsigned char> buffer(session, MemoryRole::scratch, 3000000, "bytes");
    buffer.fill_bytes(9);
    EXPECT_THAT(buffer.download(), Each(9)) << name;
    buffer = {};
    session.return_memory();
    EXPECT_EQ(session.ledger().in_use(), 0u);
  }
}

}  // namespace
}  // namespace lufact::gpu
