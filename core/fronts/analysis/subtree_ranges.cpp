// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/analysis/subtree_ranges.hpp"

#include <numeric>

namespace lufact {
namespace {

constexpr Offset ranges_per_thread = 8;

}  // namespace

std::vector<Index> subtree_sizes(std::span<const Index> parent) {
  std::vector<Index> size(parent.size(), 1);
  for (std::size_t k = 0; k < parent.size(); ++k) {
    if (parent[k] >= 0) size[at(parent[k])] += size[k];
  }
  return size;
}

SubtreeRanges cut_subtrees(std::span<const Index> parent, std::span<const Index> size,
                           std::vector<Offset> work, int threads) {
  SubtreeRanges ranges;
  if (threads == 1) return ranges;
  const Offset all = std::accumulate(work.begin(), work.end(), Offset{0});
  const Offset most = all / (ranges_per_thread * threads);
  for (std::size_t k = 0; k < parent.size(); ++k) {
    if (parent[k] >= 0) work[at(parent[k])] += work[k];
  }
  Offset in_last = 0;
  for (std::size_t k = 0; k < parent.size(); ++k) {
    const bool whole = work[k] <= most && (parent[k] < 0 || work[at(parent[k])] > most);
    if (!whole) continue;
    const auto end = static_cast<Index>(k) + 1;
    const Index begin = end - size[k];
    if (!ranges.end.empty() && ranges.end.back() == begin && in_last + work[k] <= most) {
      ranges.end.back() = end;
      in_last += work[k];
    } else {
      ranges.begin.push_back(begin);
      ranges.end.push_back(end);
      in_last = work[k];
    }
  }
  return ranges;
}

}  // namespace lufact
