// SPDX-License-Identifier: BSD-3-Clause
// The results of a run of minimum degree.
#include <utility>

#include "core/order/nd/minimum_degree.hpp"

namespace lufact::nd {
namespace {

constexpr Index none = -1;

}  // namespace

Index MinimumDegree::final_pivot(Index i) noexcept {
  Index root = i;
  while (rank_[root] == none) root = absorbed_by_[root];
  while (rank_[i] == none) i = std::exchange(absorbed_by_[i], root);
  return root;
}

void MinimumDegree::write_order(std::span<Index> order) {
  std::vector<Index> place(pivots_.size() + 1, 0);
  for (Index i = 0; i < graph_.interior; ++i) ++place[rank_[final_pivot(i)] + 1];
  for (std::size_t k = 1; k < place.size(); ++k) place[k] += place[k - 1];
  for (Index i = 0; i < graph_.interior; ++i) order[place[rank_[final_pivot(i)]]++] = i;
}

RemainingElements MinimumDegree::remaining() {
  // Halo variables that were merged, as lists by the one that stands for them.
  std::vector<Index>& first = bucket_;
  for (Index i = graph_.interior; i < graph_.variables; ++i) first[i] = none;
  for (Index i = graph_.variables - 1; i >= graph_.interior; --i) {
    if (absorbed_by_[i] == none) continue;
    Index stands = absorbed_by_[i];
    while (absorbed_by_[stands] != none) stands = absorbed_by_[stands];
    next_[i] = first[stands];
    first[stands] = i;
  }
  RemainingElements result;
  for (const Index e : pivots_) {
    if (mark_of_[e] == 0) continue;
    for (Index p = graph_.begin[e]; p < graph_.begin[e] + graph_.length[e]; ++p) {
      const Index i = graph_.list[p];
      if (graph_.weight[i] == 0) continue;
      result.halo.push_back(i - graph_.interior);
      for (Index j = first[i]; j != none; j = next_[j]) result.halo.push_back(j - graph_.interior);
    }
    if (static_cast<Index>(result.halo.size()) == result.begin.back()) continue;
    result.begin.push_back(static_cast<Index>(result.halo.size()));
    result.path.push_back(graph_.path[e]);
  }
  return result;
}

}  // namespace lufact::nd
