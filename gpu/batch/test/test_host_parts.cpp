// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <cstring>
#include <vector>

#include "gpu/batch/host_parts.hpp"

namespace lufact::gpu {
namespace {

// 7 matrices of 3 entries, whose entry e of matrix k is 10 k + e.
struct Numbers {
  explicit Numbers(ArrayLayout the_layout) : layout(the_layout), entries(7 * 3) {
    for (int k = 0; k < 7; ++k) {
      addresses.push_back(entries.data() + (k * 3 % 7) * 3);  // in no order
      for (int e = 0; e < 3; ++e) place(k, e) = 10 * k + e;
    }
  }
  int& place(int k, int e) {
    if (layout == ArrayLayout::pointers) return addresses[at(k)][e];
    return entries[at(layout == ArrayLayout::interleaved ? e * 7 + k : k * 3 + e)];
  }
  HostMatrices array() {
    const bool pointers = layout == ArrayLayout::pointers;
    return {pointers ? static_cast<void*>(addresses.data()) : entries.data(), layout, 7,
            sizeof(int), 3};
  }
  ArrayLayout layout;
  std::vector<int> entries;
  std::vector<int*> addresses;
};

std::vector<int> gathered(Numbers& numbers, Offset first, Offset count, std::size_t step) {
  const HostParts parts(numbers.array(), first, count);
  std::vector<int> chunk(parts.bytes() / sizeof(int), -1);
  auto* const to = reinterpret_cast<std::byte*>(chunk.data());
  for (std::size_t begin = 0; begin < parts.bytes(); begin += step) {
    parts.for_each(begin, std::min(step, parts.bytes() - begin),
                   [&](const std::byte* from, std::size_t offset, std::size_t bytes) {
                     std::memcpy(to + begin + offset, from, bytes);
                   });
  }
  return chunk;
}

TEST(HostParts, ChunksHaveTheirMatricesInTheOrderOfTheDevice) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{5}, std::size_t{8}, std::size_t{99}}) {
    for (const auto layout : {ArrayLayout::contiguous, ArrayLayout::pointers}) {
      Numbers numbers(layout);
      EXPECT_THAT(gathered(numbers, 2, 3, step),
                  testing::ElementsAre(20, 21, 22, 30, 31, 32, 40, 41, 42));
    }
    Numbers interleaved(ArrayLayout::interleaved);
    EXPECT_THAT(gathered(interleaved, 2, 3, step),
                testing::ElementsAre(20, 30, 40, 21, 31, 41, 22, 32, 42));
    EXPECT_THAT(gathered(interleaved, 6, 1, step), testing::ElementsAre(60, 61, 62));
  }
}

TEST(HostParts, PiecesOfEqualDistanceForCopiesByTheDevice) {
  Numbers contiguous(ArrayLayout::contiguous), interleaved(ArrayLayout::interleaved);
  const HostParts whole(contiguous.array(), 2, 3);
  EXPECT_EQ(whole.piece_bytes(), whole.bytes());
  EXPECT_EQ(whole.bytes(), 9 * sizeof(int));
  const HostParts rows(interleaved.array(), 2, 3);
  EXPECT_EQ(rows.piece_bytes(), 3 * sizeof(int));
  EXPECT_EQ(rows.pitch(), 7 * sizeof(int));
  EXPECT_EQ(rows.piece(1) - rows.piece(0), static_cast<std::ptrdiff_t>(rows.pitch()));
}

}  // namespace
}  // namespace lufact::gpu
