// SPDX-License-Identifier: BSD-3-Clause
// Stable counting sort by several threads: the step behind every transposition here.
#pragma once
#include <span>
#include <vector>

#include "core/base/types.hpp"
#include "core/base/uninitialized_array.hpp"

namespace lufact {

// First items of `parts` ranges of 0 .. ptr.size()-2 with about the same ptr differences each;
// parts + 1 of them.
std::vector<Index> balanced_ranges(std::span<const Offset> ptr, int parts);

// Items stand in ranges, one after the other, and each goes into a bucket. Range by range, in any
// order and by any thread: clear(r), then ++counts(r)[bucket] for each item. After to_positions(),
// again range by range, an item's position is counts(r)[bucket]++. Inside a bucket the items keep
// their order, whatever the number of ranges or threads.
class CountingSort {
 public:
  CountingSort(int ranges, Index buckets)
      : ranges_(ranges), buckets_(buckets), counts_(Offset{ranges} * buckets) {}

  void clear(Offset range) noexcept;
  Offset* counts(Offset range) noexcept { return counts_.data() + range * buckets_; }
  // Fills ptr (buckets + 1 entries): bucket b has the positions ptr[b] .. ptr[b+1].
  void to_positions(std::span<Offset> ptr, int threads);

 private:
  Offset sum_counts(Index begin, Index end) const noexcept;
  void assign_positions(Index begin, Index end, Offset position, std::span<Offset> ptr) noexcept;

  int ranges_;
  Index buckets_;
  UninitializedArray<Offset> counts_;
};

}  // namespace lufact
