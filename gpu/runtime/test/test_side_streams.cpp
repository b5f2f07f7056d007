// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/side_streams.hpp"

namespace lufact::gpu {
namespace {

class SideStreamsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

// Large enough that a copy which did not wait would find some of it as it was.
constexpr Offset words = Offset{1} << 26;

void copy_on(cudaStream_t stream, const Buffer<Index>& from, Buffer<Index>& to) {
  LUFACT_CUDA(
      cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream));
}

TEST_F(SideStreamsTest, WorkAfterAForkWaitsAndWhatFollowsAJoinDoesToo) {
  DeviceSession session(SessionOptions{});
  Buffer<Index> first(session, MemoryRole::scratch, words, "first");
  std::vector<Buffer<Index>> copies;
  SideStreams side(session, 3);
  for (int k = 0; k < side.count(); ++k) {
    copies.emplace_back(session, MemoryRole::scratch, words, "a copy");
    copies.back().fill_bytes(0);
  }
  for (int round = 1; round <= 5; ++round) {
    first.fill_bytes(round);
    side.fork();
    for (int k = 0; k < side.count(); ++k) {
      copy_on(side.stream(k), first, copies[static_cast<std::size_t>(k)]);
    }
    side.join();
    for (const Buffer<Index>& copy : copies) {
      for (const Offset at : {Offset{0}, words / 2, words - 1}) {
        EXPECT_EQ(read_value(session, copy.data() + at), round * 0x01010101);
      }
    }
  }
}

// What is freed after the streams are gone may be given away and overwritten at once.
TEST_F(SideStreamsTest, StreamsThatWereNotJoinedAreWaitedForAtTheEnd) {
  DeviceSession session(SessionOptions{});
  Buffer<Index> kept(session, MemoryRole::scratch, words, "kept");
  for (int round = 1; round <= 5; ++round) {
    {
      Buffer<Index> source(session, MemoryRole::scratch, words, "a source");
      source.fill_bytes(round);
      SideStreams side(session, 1);
      side.fork();
      copy_on(side.stream(0), source, kept);
    }
    Buffer<Index> other(session, MemoryRole::scratch, words, "in its place");
    other.fill_bytes(0x7f);
    EXPECT_EQ(read_value(session, kept.data() + words - 1), round * 0x01010101);
  }
}

}  // namespace
}  // namespace lufact::gpu
