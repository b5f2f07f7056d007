// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/base/block_heap.hpp"
#include "core/base/random.hpp"

namespace lufact {
namespace {

TEST(BlockHeap, TakesTheFirstPieceThatIsLargeEnough) {
  BlockHeap heap;
  EXPECT_EQ(heap.take(10), 0);
  EXPECT_EQ(heap.take(4), 10);
  EXPECT_EQ(heap.take(20), 14);
  EXPECT_EQ(heap.take(4), 34);
  heap.give_back(0, 10);
  heap.give_back(14, 20);
  EXPECT_EQ(heap.take(12), 14);
  EXPECT_EQ(heap.take(8), 0);
  EXPECT_EQ(heap.take(8), 26);
  EXPECT_EQ(heap.size(), 38);
}

TEST(BlockHeap, JoinsFreePiecesOnBothSides) {
  BlockHeap heap;
  for (int k = 0; k < 4; ++k) heap.take(5);
  heap.give_back(0, 5);
  heap.give_back(10, 5);
  heap.give_back(5, 5);
  EXPECT_EQ(heap.take(15), 0);
}

TEST(BlockHeap, GrowsFromAFreePieceAtItsEnd) {
  BlockHeap heap;
  heap.take(5);
  heap.take(5);
  heap.give_back(5, 5);
  EXPECT_EQ(heap.take(8), 5);
  EXPECT_EQ(heap.size(), 13);
}

TEST(BlockHeap, NothingIsTakenBehindItsEnd) {
  BlockHeap heap;
  EXPECT_TRUE(heap.is_free(0, 100));
  heap.take(5);
  heap.take(5);
  EXPECT_FALSE(heap.is_free(9, 10));
  EXPECT_TRUE(heap.is_free(10, 100));
  heap.give_back(5, 5);
  EXPECT_TRUE(heap.is_free(5, 100));
  EXPECT_FALSE(heap.is_free(4, 100));
  EXPECT_TRUE(heap.is_free(3, 3));  // an empty range
}

struct Block {
  Offset begin, size;
};

// The same heap unit by unit.
class NaiveHeap {
 public:
  Offset take(Offset size) {
    Offset begin = 0;
    while (!is_free(begin, begin + size)) ++begin;
    const auto end = static_cast<std::size_t>(begin + size);
    if (taken_.size() < end) taken_.resize(end, false);
    set({begin, size}, true);
    return begin;
  }
  void give_back(const Block& block) { set(block, false); }
  bool is_free(Offset begin, Offset end) const {
    for (Offset unit = begin; unit < std::min(end, size()); ++unit) {
      if (taken_[static_cast<std::size_t>(unit)]) return false;
    }
    return true;
  }
  Offset size() const { return static_cast<Offset>(taken_.size()); }

 private:
  void set(const Block& block, bool value) {
    std::fill_n(taken_.begin() + block.begin, block.size, value);
  }
  std::vector<bool> taken_;
};

TEST(BlockHeap, DoesWhatOneUnitByUnitDoes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    BlockHeap heap;
    NaiveHeap naive;
    std::vector<Block> blocks;
    for (std::uint64_t step = 0; step < 400; ++step) {
      const std::uint64_t draw = hash64(seed, step);
      if (blocks.empty() || draw % 16 < 9) {
        const auto size = static_cast<Offset>(1 + (draw >> 8) % 20);
        const Block block{heap.take(size), size};
        ASSERT_EQ(block.begin, naive.take(size)) << seed << ", " << step;
        blocks.push_back(block);
      } else {
        const std::size_t which = (draw >> 8) % blocks.size();
        heap.give_back(blocks[which].begin, blocks[which].size);
        naive.give_back(blocks[which]);
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(which));
      }
      ASSERT_EQ(heap.size(), naive.size());
      const auto begin = static_cast<Offset>((draw >> 20) % 300);
      const auto end = begin + static_cast<Offset>((draw >> 40) % 30);
      ASSERT_EQ(heap.is_free(begin, end), naive.is_free(begin, end)) << begin << ", " << end;
    }
  }
}

}  // namespace
}  // namespace lufact
