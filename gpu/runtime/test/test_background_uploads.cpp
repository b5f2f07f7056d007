// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/device_query.hpp"

namespace lufact::gpu {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr SessionOptions small_session{0, std::uint64_t{64} << 20};
constexpr auto stage = static_cast<std::size_t>(StagedCopies::stage_bytes);

class Uploads : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

Bytes bytes_of(std::size_t size, std::size_t seed) {
  Bytes bytes(size);
  for (std::size_t k = 0; k < size; ++k) {
    bytes[k] = static_cast<unsigned char>(k * 31 + k / 251 + seed);
  }
  return bytes;
}

Buffer<unsigned char> room_for(DeviceSession& session, const Bytes& bytes) {
  return {session, MemoryRole::scratch, static_cast<Offset>(bytes.size()), "bytes"};
}

TEST_F(Uploads, SanitizeArraysArriveWhileOthersAreCopied) {
  DeviceSession session(small_session);
  std::size_t seed = 0;
  for (int again = 0; again < 3; ++again) {
    std::vector<Bytes> from;
    for (const std::size_t size :
         {std::size_t{1}, stage - 1, stage, 5 * stage + 3, std::size_t{0}}) {
      from.push_back(bytes_of(size, ++seed));
    }
    std::vector<Buffer<unsigned char>> to;
    std::vector<BackgroundUploads::Array> arrays;
    std::size_t all = 0;
    for (const Bytes& bytes : from) {
      to.push_back(room_for(session, bytes));
      arrays.push_back({to.back().data(), bytes.data(), bytes.size()});
      all += bytes.size();
    }
    const Bytes beside = bytes_of(3 * stage + 1, 77);
    const std::uint64_t before = session.counters().bytes_h2d;
    session.start_uploads(arrays);
    const auto there = upload_copy<unsigned char>(session, MemoryRole::scratch, beside, "beside");
    EXPECT_EQ(there.download(), beside);
    session.finish_uploads();
    EXPECT_EQ(session.counters().bytes_h2d - before, beside.size() + all);
    session.finish_uploads();  // nothing is left to be finished
    EXPECT_EQ(session.counters().bytes_h2d - before, beside.size() + all);
    for (std::size_t k = 0; k < from.size(); ++k) EXPECT_EQ(to[k].download(), from[k]) << k;
  }
}

TEST_F(Uploads, SanitizeComeBehindWhatWasOnTheStream) {
  DeviceSession session(small_session);
  const Bytes from = bytes_of(stage, 5);
  auto to = room_for(session, from);
  auto before = room_for(session, bytes_of(20 * stage, 0));
  for (int k = 0; k < 50; ++k) before.fill_bytes(k);
  to.fill_bytes(0);
  session.start_uploads({{to.data(), from.data(), from.size()}});
  session.finish_uploads();
  EXPECT_EQ(to.download(), from);
}

TEST_F(Uploads, AreFinishedBeforeOthersStart) {
  DeviceSession session(small_session);
  const Bytes from = bytes_of(stage, 5);
  auto to = room_for(session, from);
  session.start_uploads({{to.data(), from.data(), from.size()}});
  EXPECT_THROW(session.start_uploads({{to.data(), from.data(), from.size()}}), std::logic_error);
  session.finish_uploads();
  session.start_uploads({{to.data(), from.data(), from.size()}});
  session.finish_uploads();
  EXPECT_EQ(to.download(), from);
}

}  // namespace
}  // namespace lufact::gpu
