// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/graph/elimination_tree.hpp"

#include <algorithm>
#include <utility>

#include "core/base/uninitialized_array.hpp"
#include "core/matrix/counting_sort.hpp"
#include "core/matrix/parallel.hpp"
#include "core/order/graph/link_subtree.hpp"
#include "core/order/graph/range_trees.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_entries = 1 << 16;  // below, threads cost more than they save
constexpr Offset worthwhile_labels = 1 << 15;
// Entries of A, where a graph of A + A' has to be made first: with two threads that takes longer
// than the tree on one at 68,000 entries, and less at 99,000.
constexpr Offset worthwhile_pattern = 3 << 15;
constexpr int ranges_per_thread = 4;

// The entries of P A P', each at the larger of its labels. They are all that a tree of A + A'
// needs: no transposition, no list without repetitions.
class EntriesByLaterLabel {
 public:
  EntriesByLaterLabel(const CsrPattern& a, const Permutation& perm)
      : begin_(static_cast<std::size_t>(a.n_rows) + 1), earlier_(a.nnz()) {
    CountingSort sort(1, a.n_rows);
    sort.clear(0);
    Offset* const place = sort.counts(0);
    for_entries(a, perm, [&](Index later, Index) { ++place[later]; });
    sort.to_positions(begin_, 1);
    for_entries(a, perm, [&](Index later, Index earlier) { earlier_[place[later]++] = earlier; });
  }

  // The smaller labels of the entries at k, in no order; k itself for an entry of the diagonal.
  std::span<const Index> at(Index k) const noexcept {
    return earlier_.subspan(begin_[k], begin_[k + 1]);
  }

 private:
  template <class Take>
  static void for_entries(const CsrPattern& a, const Permutation& perm, const Take& take) {
    const auto label = perm.new_of_old();
    for (Index i = 0; i < a.n_rows; ++i) {
      const Index of_row = label[i];
      for (const Index j : a.row(i)) take(std::max(of_row, label[j]), std::min(of_row, label[j]));
    }
  }

  std::vector<Offset> begin_;  // by label, then the end
  UninitializedArray<Index> earlier_;
};

std::vector<Index> tree_on_one_thread(const CsrPattern& a, const Permutation& perm) {
  const EntriesByLaterLabel entries(a, perm);
  std::vector<Index> parent(static_cast<std::size_t>(a.n_rows), -1), ancestor(parent);
  for (Index k = 0; k < a.n_rows; ++k) {
    for (const Index earlier : entries.at(k)) {
      if (earlier == k) continue;
      link_subtree(earlier, k, ancestor.data(), [&](Index root) { parent[root] = k; });
    }
  }
  return parent;
}

// Position of each node in the postorder. From the last node to the first, each takes the last free
// position of its parent's subtree.
std::vector<Index> postorder_positions(std::span<const Index> parent) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> size(parent.size(), 1), last(parent.size()), position(parent.size());
  for (Index k = 0; k < n; ++k) {
    if (parent[k] >= 0) size[parent[k]] += size[k];
  }
  Index last_root = n - 1;
  for (Index k = n - 1; k >= 0; --k) {
    Index& place = parent[k] < 0 ? last_root : last[parent[k]];
    position[k] = place;
    last[k] = place - 1;
    place -= size[k];
  }
  return position;
}

// Begins of the ranges of labels, then the end.
std::vector<Index> ranges_of_labels(Index n, std::span<const Index> parts, int team) {
  if (team == 1) return {0, n};
  std::vector<Index> bounds(parts.begin(), parts.end());
  const Index begin = parts.empty() ? 0 : parts.back();
  const Offset ranges = ranges_per_thread * team;
  for (Offset k = parts.empty() ? 0 : 1; k <= ranges; ++k) {
    bounds.push_back(static_cast<Index>(begin + (n - begin) * k / ranges));
  }
  return bounds;
}

}  // namespace

std::vector<Index> elimination_tree(const nd::Graph& graph, const Permutation& perm,
                                    std::span<const Index> parts, int threads) {
  const int team = threads_for(nd::total_degree(graph, threads), worthwhile_entries, threads);
  const std::vector<Index> bounds = ranges_of_labels(graph.n, parts, team);
  RangeTrees trees(graph, perm, bounds);
  parallel_for(trees.ranges(), team, [&](Offset range) { trees.link_within(range); });
  std::vector<RangeTrees::LastUpperEnds> last(static_cast<std::size_t>(team));
  parallel_for(trees.ranges(), team,
               [&](Offset range) { trees.link_across(range, last[thread_number()]); });
  return std::move(trees).join();
}

std::vector<Index> elimination_tree(const CsrPattern& a, const Permutation& perm, int threads) {
  const int team = threads_for(a.nnz(), worthwhile_pattern, threads);
  if (team == 1) return tree_on_one_thread(a, perm);
  return elimination_tree(nd::graph_of(a.view(), team), perm, {}, team);
}

std::vector<Index> postorder(std::span<const Index> parent) {
  const std::vector<Index> position = postorder_positions(parent);
  std::vector<Index> order(parent.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[position[k]] = static_cast<Index>(k);
  return order;
}

Ordering compose_postorder(const CsrPattern& pa, const Ordering& ordering, int threads) {
  const std::vector<Index> parent =
      ordering.graph ? elimination_tree(*ordering.graph, ordering.perm, ordering.parts, threads)
                     : elimination_tree(pa, ordering.perm, threads);
  const std::vector<Index> position = postorder_positions(parent);
  const std::size_t n = parent.size();
  std::vector<Index> old_of_new(n), new_of_old(n), forest(n);
  [[maybe_unused]] const int team = threads_for(static_cast<Offset>(n), worthwhile_labels, threads);
#pragma omp parallel for num_threads(team) if (team > 1)
  for (std::size_t k = 0; k < n; ++k) {
    const Index old = ordering.perm.old_of_new()[k];
    old_of_new[position[k]] = old;
    new_of_old[old] = position[k];
    forest[position[k]] = parent[k] < 0 ? -1 : position[parent[k]];
  }
  return {.perm = Permutation::from_both(std::move(old_of_new), std::move(new_of_old)),
          .postordered = true,
          .forest = std::move(forest)};
}

}  // namespace lufact
