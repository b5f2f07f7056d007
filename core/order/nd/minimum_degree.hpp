// SPDX-License-Identifier: BSD-3-Clause
// Minimum degree on a quotient graph with a halo.
#pragma once
#include <span>
#include <vector>

#include "core/base/types.hpp"
#include "core/order/graph/ordering_cost.hpp"
#include "core/order/nd/quotient_graph.hpp"

namespace lufact::nd {

// The elements on the halo that are left when the interior of a graph is eliminated.
struct RemainingElements {
  std::vector<Index> begin{0};  // of each element in `halo`
  std::vector<Index> halo;      // halo variables, counted from 0
  std::vector<PathCost> path;   // of each element

  Index count() const noexcept { return static_cast<Index>(path.size()); }
};

// Approximate minimum degree with element and aggressive absorption, indistinguishable variables
// merged and mass elimination (Amestoy, Davis and Duff, SIAM J. Matrix Anal. Appl. 17(4), 1996);
// the halo as in Pellegrini, Roman and Amestoy, Concurrency: Pract. Exper. 12(2-3), 2000. Among
// variables of equal degree the one that got this degree last is taken, except at the smallest
// degrees: there the one that got it first is taken, so that chains and trees are taken apart by
// independent sets instead of from one end to the other, which would make the elimination tree a
// path (Liu, "Modification of the minimum-degree algorithm by multiple elimination", ACM Trans.
// Math. Softw. 11(2), 1985). An object keeps its workspace from graph to graph.
class MinimumDegree {
 public:
  // The rates are for the seconds of paths alone, which no order depends on.
  explicit MinimumDegree(const ColumnPathRates& rates = {}) noexcept : rates_(rates) {}

  // The graph, to be filled in before a run; the run destroys it.
  QuotientGraph& graph() noexcept { return graph_; }

  // Eliminates all interior variables; by degree, or in `given_order` where that is not empty.
  void run(std::span<const Index> given_order = {});

  // Writes the interior variables as the last run eliminated them: order[k] is the k-th.
  void write_order(std::span<Index> order);
  RemainingElements remaining();
  // A close bound: variables of a mass elimination are counted as if eliminated after the pivot,
  // elements that are absorbed early as children of the element that absorbs them.
  const OrderingCost& cost() const noexcept { return cost_; }

 private:
  void start();
  void start_degrees();
  void insert_by_degree(Index i) noexcept;
  void insert_after(Index other, Index i) noexcept;
  void remove_from_degrees(Index i) noexcept;
  Index next_pivot() noexcept;
  void eliminate(Index k);
  void collect_garbage() noexcept;
  void build_element(Index k);
  void gather(Index from, Index count) noexcept;
  void measure_overlaps() noexcept;
  void update_variable(Index i, Index k) noexcept;
  Index prune_elements(Index i, Index k, Offset& degree, std::uint32_t& hash) noexcept;
  void merge_indistinguishable() noexcept;
  void merge_bucket(Index first) noexcept;
  bool same_list(Index i, Index j) const noexcept;
  void finish_element(Index k) noexcept;
  void count_element(Index k) noexcept;
  void absorb_element(Index e, Index k) noexcept;
  void clear_marks_beyond(Offset growth) noexcept;
  // The node that closes the ring of all variables of that degree. No variable is then at an end,
  // so that inserting and removing one needs no branch.
  Index ring(Index degree) const noexcept { return graph_.nodes + degree; }
  bool is_interior(Index i) const noexcept { return i < graph_.interior; }
  Index final_pivot(Index i) noexcept;

  ColumnPathRates rates_;
  QuotientGraph graph_;
  std::vector<Index> degree_, mark_of_, bucket_, absorbed_by_, rank_;
  std::vector<Index> next_, last_;  // in a ring of equal degrees; or next in a bucket, the bucket
  std::vector<Index> pivots_;
  std::span<const Index> given_order_;
  std::size_t given_next_ = 0;
  std::uint32_t bucket_mask_ = 0;  // buckets are a power of two
  OrderingCost cost_;
  Index total_weight_ = 0, eliminated_weight_ = 0, interior_weight_ = 0;
  Index least_degree_ = 0, largest_degree_ = 0, mark_ = 2, used_ = 0;
  // The current pivot: its element's list, its number of columns and the weight of the list.
  Index front_begin_ = 0, front_end_ = 0, pivot_weight_ = 0, front_weight_ = 0;
};

}  // namespace lufact::nd
