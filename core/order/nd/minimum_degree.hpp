// SPDX-License-Identifier: BSD-3-Clause
// Minimum degree on a quotient graph with a halo.
#pragma once
#include <span>
#include <vector>

#include "core/base/types.hpp"
#include "core/order/graph/ordering_cost.hpp"
#include "core/order/nd/quotient_graph.hpp"

namespace lufact::nd {

// What is left of a graph whose interior is eliminated: elements on the halo.
struct RemainingElements {
  std::vector<Index> begin{0};  // of each element in `halo`
  std::vector<Index> halo;      // halo variables, counted from 0
  std::vector<PathCost> path;   // of each element

  Index count() const noexcept { return static_cast<Index>(path.size()); }
};

// Approximate minimum degree with element and aggressive absorption, indistinguishable variables
// merged and mass elimination (Amestoy, Davis and Duff, SIAM J. Matrix Anal. Appl. 17(4), 1996);
// the halo as in Pellegrini, Roman and Amestoy, Concurrency: Pract. Exper. 12(2-3), 2000.
// Ties go to what got its degree last, except at the smallest degrees: there the first that got it
// goes first, so that chains and trees are taken apart by independent sets instead of from one end
// to the other, which would make the elimination tree a path (Liu, "Modification of the
// minimum-degree algorithm by multiple elimination", ACM Trans. Math. Softw. 11(2), 1985). An
// object keeps its workspace from graph to graph.
class MinimumDegree {
 public:
  // The rates are for the seconds of paths alone, which no order depends on.
  explicit MinimumDegree(const ColumnPathRates& rates = {}) noexcept : rates_(rates) {}

  // The graph to fill in before a run, which destroys it.
  QuotientGraph& graph() noexcept { return graph_; }

  // Eliminates all interior variables; by degree, or in `given_order` where that is not empty.
  void run(std::span<const Index> given_order = {});

  // Of the last run. Interior variables as eliminated: order[k] is the k-th.
  void write_order(std::span<Index> order);
  RemainingElements remaining();
  // A close bound: variables that go together with a pivot are counted as if after it, and elements
  // that are absorbed early as children of what absorbs them.
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
  // The node that closes the ring of all variables of that degree: with it, no variable is at an
  // end, and to put one in or take it out needs no branch.
  Index ring(Index degree) const noexcept { return graph_.nodes + degree; }
  bool is_interior(Index i) const noexcept { return i < graph_.interior; }
  Index final_pivot(Index i) noexcept;

  ColumnPathRates rates_;
  QuotientGraph graph_;
  std::vector<Index> degree_, mark_of_, bucket_, absorbed_by_, rank_;
  std::vector<Index> next_, last_;  // in rings of equal degrees, or in a bucket and that bucket
  std::vector<Index> pivots_;
  std::span<const Index> given_order_;
  std::size_t given_next_ = 0;
  std::uint32_t bucket_mask_ = 0;  // buckets are a power of two
  OrderingCost cost_;
  Index total_weight_ = 0, eliminated_weight_ = 0, interior_weight_ = 0;
  Index least_degree_ = 0, largest_degree_ = 0, mark_ = 2, used_ = 0;
  // The pivot in hand: its element's list, its columns and the weight of the list.
  Index front_begin_ = 0, front_end_ = 0, pivot_weight_ = 0, front_weight_ = 0;
};

}  // namespace lufact::nd
