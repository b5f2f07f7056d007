// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/nd/minimum_degree.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace lufact::nd {
namespace {

constexpr Index none = -1;
constexpr Index is_element = -2;               // in `elements`
constexpr Index first_in_first_out_below = 6;  // degree

// A number >= 0 as one below -1, and back: marks the head of a list during garbage collection.
constexpr Index flipped(Index value) noexcept {
  return -value - 2;
}

}  // namespace

void MinimumDegree::run(std::span<const Index> given_order) {
  given_order_ = given_order;
  start();
  start_degrees();
  while (eliminated_weight_ < interior_weight_) eliminate(next_pivot());
}

void MinimumDegree::start() {
  const auto nodes = static_cast<std::size_t>(graph_.nodes);
  degree_.assign(nodes, 0);
  mark_of_.assign(nodes, 1);
  bucket_.assign(std::bit_ceil(nodes), none);
  bucket_mask_ = static_cast<std::uint32_t>(bucket_.size() - 1);
  absorbed_by_.assign(nodes, none);
  rank_.assign(nodes, none);
  pivots_.clear();
  cost_ = {};
  given_next_ = 0;
  total_weight_ = eliminated_weight_ = interior_weight_ = 0;
  least_degree_ = largest_degree_ = 0;
  mark_ = 2;
  used_ = 0;
  for (Index i = 0; i < graph_.variables; ++i) {
    total_weight_ += graph_.weight[i];
    if (is_interior(i)) interior_weight_ += graph_.weight[i];
  }
  for (Index i = 0; i < graph_.nodes; ++i) {
    used_ = std::max(used_, graph_.begin[i] + graph_.length[i]);
  }
  next_.resize(nodes + static_cast<std::size_t>(total_weight_) + 1);
  last_.resize(next_.size());
  std::iota(next_.begin() + graph_.nodes, next_.end(), graph_.nodes);  // empty rings
  std::iota(last_.begin() + graph_.nodes, last_.end(), graph_.nodes);
}

void MinimumDegree::start_degrees() {
  for (Index e = graph_.variables; e < graph_.nodes; ++e) {
    for (Index p = graph_.begin[e]; p < graph_.begin[e] + graph_.length[e]; ++p) {
      degree_[e] += graph_.weight[graph_.list[p]];
    }
    graph_.elements[e] = is_element;
    largest_degree_ = std::max(largest_degree_, degree_[e]);
  }
  // Backwards, so that ties go to the lowest number.
  for (Index i = graph_.interior - 1; i >= 0; --i) {
    Offset degree = 0;
    for (Index k = 0; k < graph_.length[i]; ++k) {
      const Index other = graph_.list[graph_.begin[i] + k];
      degree += k < graph_.elements[i] ? degree_[other] - graph_.weight[i] : graph_.weight[other];
    }
    degree_[i] = static_cast<Index>(std::min<Offset>(degree, total_weight_ - graph_.weight[i]));
    if (given_order_.empty()) insert_after(ring(degree_[i]), i);
  }
}

void MinimumDegree::insert_by_degree(Index i) noexcept {
  if (!given_order_.empty()) return;
  const Index all = ring(degree_[i]);
  insert_after(degree_[i] < first_in_first_out_below ? last_[all] : all, i);
}

void MinimumDegree::insert_after(Index other, Index i) noexcept {
  const Index next = next_[other];
  next_[i] = next;
  last_[i] = other;
  next_[other] = last_[next] = i;
  least_degree_ = std::min(least_degree_, degree_[i]);
}

void MinimumDegree::remove_from_degrees(Index i) noexcept {
  if (!given_order_.empty()) return;
  next_[last_[i]] = next_[i];
  last_[next_[i]] = last_[i];
}

Index MinimumDegree::next_pivot() noexcept {
  if (!given_order_.empty()) {
    while (graph_.weight[given_order_[given_next_]] == 0) ++given_next_;
    return given_order_[given_next_++];
  }
  while (next_[ring(least_degree_)] == ring(least_degree_)) ++least_degree_;
  const Index k = next_[ring(least_degree_)];
  remove_from_degrees(k);
  return k;
}

void MinimumDegree::eliminate(Index k) {
  const Index most_entries = std::min(degree_[k], graph_.variables);
  if (Offset{used_} + most_entries >= graph_.room) collect_garbage();
  build_element(k);
  measure_overlaps();
  for (Index p = front_begin_; p < front_end_; ++p) update_variable(graph_.list[p], k);
  degree_[k] = front_weight_;
  largest_degree_ = std::max(largest_degree_, front_weight_);
  clear_marks_beyond(largest_degree_);
  merge_indistinguishable();
  finish_element(k);
}

// Closes the gaps between lists.
void MinimumDegree::collect_garbage() noexcept {
  std::vector<Index>& list = graph_.list;
  for (Index i = 0; i < graph_.nodes; ++i) {
    const bool alive = absorbed_by_[i] == none && graph_.length[i] > 0 &&
                       (graph_.elements[i] != is_element || mark_of_[i] != 0);
    if (!alive) continue;
    const Index first = graph_.begin[i];
    graph_.begin[i] = list[first];  // kept here while the list's head names its owner
    list[first] = flipped(i);
  }
  Index to = 0;
  for (Index from = 0; from < used_;) {
    const Index owner = flipped(list[from++]);
    if (owner < 0) continue;
    list[to] = graph_.begin[owner];
    graph_.begin[owner] = to++;
    for (Index k = 1; k < graph_.length[owner]; ++k) list[to++] = list[from++];
  }
  used_ = to;
}

// The list of the new element k: the variables of k's elements, which it absorbs, and k's own.
void MinimumDegree::build_element(Index k) {
  const Index element_count = graph_.elements[k];
  const Index first = graph_.begin[k];
  pivot_weight_ = graph_.weight[k];
  eliminated_weight_ += pivot_weight_;
  rank_[k] = static_cast<Index>(pivots_.size());
  pivots_.push_back(k);
  graph_.weight[k] = -pivot_weight_;
  // If k has no elements, the new list is written over k's own.
  front_begin_ = front_end_ = element_count == 0 ? first : used_;
  front_weight_ = 0;
  for (Index q = 0; q < element_count; ++q) {
    const Index e = graph_.list[first + q];
    gather(graph_.begin[e], graph_.length[e]);
    absorb_element(e, k);
  }
  gather(first + element_count, graph_.length[k] - element_count);
  for (Index p = front_begin_; p < front_end_; ++p) {
    if (is_interior(graph_.list[p])) remove_from_degrees(graph_.list[p]);
  }
  if (element_count != 0) used_ = front_end_;
  graph_.begin[k] = front_begin_;
  graph_.length[k] = front_end_ - front_begin_;
  graph_.elements[k] = is_element;
}

// Appends the variables of a list that are not in the front yet; those in the front have negative
// weights. About half are, at random, so that a branch would be mispredicted.
void MinimumDegree::gather(Index from, Index count) noexcept {
  Index* const list = graph_.list.data();
  Index* const weights = graph_.weight.data();
  Index end = front_end_, front_weight = front_weight_;
  for (Index p = from; p < from + count; ++p) {
    const Index i = list[p];
    const Index weight = weights[i];
    const Index added = std::max(weight, 0);
    front_weight += added;
    weights[i] = weight - 2 * added;
    list[end] = i;
    end += added > 0 ? 1 : 0;
  }
  front_end_ = end;
  front_weight_ = front_weight;
}

void MinimumDegree::absorb_element(Index e, Index k) noexcept {
  absorbed_by_[e] = k;
  mark_of_[e] = 0;
  graph_.path[k] = longer(graph_.path[k], graph_.path[e]);
}

// For each element e that meets the front: mark_of_[e] - mark_ is the weight of e outside it.
void MinimumDegree::measure_overlaps() noexcept {
  const Index* const list = graph_.list.data();
  const Index* const degree = degree_.data();
  Index* const marks = mark_of_.data();
  const Index now = mark_, front_end = front_end_;
  for (Index p = front_begin_; p < front_end; ++p) {
    const Index i = list[p];
    const Index count = graph_.elements[i];
    if (count <= 0) continue;
    const Index weight = -graph_.weight[i];
    const Index* const elements = list + graph_.begin[i];
    for (Index q = 0; q < count; ++q) {
      const Index e = elements[q];
      const Index mark = marks[e];
      const Index fresh = degree[e] + now;  // read whether needed or not: no branch to mispredict
      const Index left = (mark >= now ? mark : fresh) - weight;
      marks[e] = mark == 0 ? 0 : left;
    }
  }
}

// Removes from i's list all that the new element covers, and bounds i's degree outside the front.
void MinimumDegree::update_variable(Index i, Index k) noexcept {
  Index* const list = graph_.list.data();
  const Index* const weights = graph_.weight.data();
  const Index first = graph_.begin[i];
  const Index first_variable = first + graph_.elements[i], end = first + graph_.length[i];
  Offset degree = 0;
  std::uint32_t hash = is_interior(i) ? 0 : 7;
  const Index elements_end = prune_elements(i, k, degree, hash);
  Index last = elements_end;
  for (Index p = first_variable; p < end; ++p) {
    const Index j = list[p];
    const Index weight = std::max(weights[j], 0);
    degree += weight;
    hash += weight > 0 ? static_cast<std::uint32_t>(j) : 0;
    list[last] = j;
    last += weight > 0 ? 1 : 0;
  }
  if (degree == 0 && is_interior(i)) {  // mass elimination: i goes with k
    const Index weight = -graph_.weight[i];
    absorbed_by_[i] = k;
    front_weight_ -= weight;
    pivot_weight_ += weight;
    eliminated_weight_ += weight;
    graph_.weight[i] = 0;
    return;
  }
  degree_[i] = static_cast<Index>(std::min<Offset>(degree_[i], degree));
  list[last] = list[elements_end];  // k becomes the first of the elements
  list[elements_end] = list[first];
  list[first] = k;
  graph_.elements[i] = elements_end - first + 1;
  graph_.length[i] = last - first + 1;
  const auto slot = static_cast<Index>(hash & bucket_mask_);
  next_[i] = bucket_[slot];
  bucket_[slot] = i;
  last_[i] = slot;
}

// Keeps the elements that reach beyond the front; k absorbs the others. Returns where the kept ones
// end.
Index MinimumDegree::prune_elements(Index i, Index k, Offset& degree,
                                    std::uint32_t& hash) noexcept {
  Index* const list = graph_.list.data();
  const Index now = mark_, begin = graph_.begin[i], end = begin + graph_.elements[i];
  Index last = begin;
  for (Index p = begin; p < end; ++p) {
    const Index e = list[p];
    const Index mark = mark_of_[e];
    if (mark == 0) continue;
    const Index outside = mark - now;
    if (outside > 0) {
      degree += outside;
      hash += static_cast<std::uint32_t>(e);
      list[last++] = e;
    } else {
      absorb_element(e, k);
    }
  }
  return last;
}

void MinimumDegree::merge_indistinguishable() noexcept {
  for (Index p = front_begin_; p < front_end_; ++p) {
    const Index i = graph_.list[p];
    if (graph_.weight[i] >= 0) continue;
    merge_bucket(std::exchange(bucket_[last_[i]], none));
  }
}

// Merges the variables of one bucket that have equal lists (indistinguishable variables).
void MinimumDegree::merge_bucket(Index first) noexcept {
  for (Index i = first; i != none && next_[i] != none; i = next_[i], ++mark_) {
    for (Index q = 1; q < graph_.length[i]; ++q) {
      mark_of_[graph_.list[graph_.begin[i] + q]] = mark_;
    }
    Index before = i;
    for (Index j = next_[i]; j != none; j = next_[j]) {
      if (!same_list(i, j)) {
        before = j;
        continue;
      }
      absorbed_by_[j] = i;
      graph_.weight[i] += graph_.weight[j];
      graph_.weight[j] = 0;
      next_[before] = next_[j];
    }
  }
}

// Whether i and j have the same list. i's list is marked; all lists begin with the current element.
bool MinimumDegree::same_list(Index i, Index j) const noexcept {
  if (graph_.length[i] != graph_.length[j] || graph_.elements[i] != graph_.elements[j] ||
      is_interior(i) != is_interior(j)) {
    return false;
  }
  const Index* const list = graph_.list.data() + graph_.begin[j];
  for (Index q = 1; q < graph_.length[j]; ++q) {
    if (mark_of_[list[q]] != mark_) return false;
  }
  return true;
}

void MinimumDegree::finish_element(Index k) noexcept {
  Index last = front_begin_;
  for (Index p = front_begin_; p < front_end_; ++p) {
    const Index i = graph_.list[p];
    if (graph_.weight[i] >= 0) continue;  // gone with k, or merged
    const Index weight = -graph_.weight[i];
    graph_.weight[i] = weight;
    graph_.list[last++] = i;
    if (!is_interior(i)) continue;
    const Offset degree = Offset{degree_[i]} + front_weight_ - weight;
    degree_[i] =
        static_cast<Index>(std::min<Offset>(degree, total_weight_ - eliminated_weight_ - weight));
    insert_by_degree(i);
  }
  if (front_end_ == used_) used_ = last;
  graph_.length[k] = last - front_begin_;
  graph_.weight[k] = 0;
  if (graph_.length[k] == 0) mark_of_[k] = 0;
  count_element(k);
}

// Counts the columns of the current pivot. The t-th column from the end has t entries more than the
// pivot's element.
void MinimumDegree::count_element(Index k) noexcept {
  const double columns = pivot_weight_, border = front_weight_;
  const double pairs = columns * (columns - 1) / 2;
  const double entries = columns * border + pairs;
  const double squares =
      columns * border * border + 2 * border * pairs + pairs * (2 * columns - 1) / 3;
  const double flops = entries + 2 * squares;
  const double with_short_lists = std::clamp(rates_.short_below - border, 0.0, columns);
  PathCost& path = graph_.path[k];
  path = {path.flops + flops, path.columns + pivot_weight_,
          path.seconds + with_short_lists * rates_.short_column_s +
              (columns - with_short_lists) * rates_.long_column_s};
  cost_.columns += pivot_weight_;
  cost_.largest_column = std::max(cost_.largest_column, pivot_weight_ + front_weight_);
  cost_.nnz_l += entries + columns;
  cost_.flops += flops;
  cost_.path = longer(cost_.path, path);
}

// Makes room for marks that grow by so much: old ones must stay below the mark in use.
void MinimumDegree::clear_marks_beyond(Offset growth) noexcept {
  const Offset most = std::numeric_limits<Index>::max() - Offset{graph_.nodes} - 2 * growth;
  if (mark_ + growth < most) {
    mark_ += static_cast<Index>(growth);
    return;
  }
  for (Index& mark : mark_of_) {
    if (mark != 0) mark = 1;
  }
  mark_ = 2;
}

}  // namespace lufact::nd
