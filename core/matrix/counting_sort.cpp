// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/counting_sort.hpp"

#include <algorithm>

#include "core/matrix/parallel.hpp"

namespace lufact {

std::vector<Index> balanced_ranges(std::span<const Offset> ptr, int parts) {
  const auto items = static_cast<Index>(ptr.size()) - 1;
  std::vector<Index> first{0};
  for (int part = 1; part < parts; ++part) {
    const Offset share = ptr.back() / parts * part;
    const auto found = std::lower_bound(ptr.begin(), ptr.end(), share) - ptr.begin();
    first.push_back(std::clamp(static_cast<Index>(found), first.back(), items));
  }
  first.push_back(items);
  return first;
}

void CountingSort::clear(Offset range) noexcept {
  std::fill_n(counts(range), buckets_, Offset{0});
}

Offset CountingSort::sum_counts(Index begin, Index end) const noexcept {
  Offset sum = 0;
  for (Offset range = 0; range < ranges_; ++range) {
    const Offset* const count = counts_.data() + range * buckets_;
    for (Index bucket = begin; bucket < end; ++bucket) sum += count[bucket];
  }
  return sum;
}

void CountingSort::assign_positions(Index begin, Index end, Offset position,
                                    std::span<Offset> ptr) noexcept {
  for (Index bucket = begin; bucket < end; ++bucket) {
    ptr[static_cast<std::size_t>(bucket)] = position;
    for (Offset range = 0; range < ranges_; ++range) {
      Offset& count = counts_[range * buckets_ + bucket];
      const Offset first = position;
      position += count;
      count = first;
    }
  }
}

void CountingSort::to_positions(std::span<Offset> ptr, int threads) {
  const Offset block = (Offset{buckets_} + threads - 1) / threads;
  const auto bound = [&](Offset part) {
    return static_cast<Index>(std::min(part * block, Offset{buckets_}));
  };
  std::vector<Offset> first(static_cast<std::size_t>(threads) + 1, 0);
  parallel_for(threads, threads, [&](Offset part) {
    first[static_cast<std::size_t>(part) + 1] = sum_counts(bound(part), bound(part + 1));
  });
  for (std::size_t part = 1; part < first.size(); ++part) first[part] += first[part - 1];
  parallel_for(threads, threads, [&](Offset part) {
    assign_positions(bound(part), bound(part + 1), first[static_cast<std::size_t>(part)], ptr);
  });
  ptr[static_cast<std::size_t>(buckets_)] = first.back();
}

}  // namespace lufact
