// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of lanes do, one lane and one front after the other, with the same code but for
// reciprocals, which are divisions here.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "core/systems/lane_plan.hpp"
#include "core/systems/lane_sweep.hpp"

namespace lufact::test {

template <class T>
struct ModelRule {
  T threshold;

  T apply(T pivot) const {
    if (!(std::abs(pivot) < threshold)) return pivot;
    return pivot < T(0) ? -threshold : threshold;
  }
};

// As PivotPair of gpu/fronts/numeric.
template <class T>
class ModelPair {
 public:
  ModelPair(T p, T upper, T lower, T q)
      : u(upper), p_(p), lower_(lower), q_(q), determinant_(std::fma(p, q, -upper * lower)) {
    inverse_p = T(1) / p;
    inverse_q = T(1) / determinant_ * p;
    l = lower * inverse_p;
  }
  T inverse_p, inverse_q, l, u;

  bool is_usable(const ModelRule<T>& rule) const {
    const T p = std::abs(p_), determinant = std::abs(determinant_);
    return p > rule.threshold && determinant > rule.threshold * p && std::isfinite(inverse_p) &&
           std::isfinite(inverse_q);
  }
  void replace_pivots(const ModelRule<T>& rule, Offset* replaced) {
    inverse_p = T(1) / count(p_, rule, replaced);
    l = lower_ * inverse_p;
    inverse_q = T(1) / count(std::fma(-l, u, q_), rule, replaced);
  }

 private:
  static T count(T pivot, const ModelRule<T>& rule, Offset* replaced) {
    const T after = rule.apply(pivot);
    if (after != pivot) ++*replaced;
    return after;
  }
  T p_, lower_, q_, determinant_;
};

// A group of systems with one plan.
template <class T>
class LaneModel {
 public:
  LaneModel(const FrontTree& tree, const TaskGraph& graph, const LanePlan& plan)
      : tree_(tree),
        graph_(graph),
        plan_(plan),
        values_(interleaved(plan.entry.size())),
        factors_(interleaved(at(plan.factor_entries))),
        contributions_(interleaved(at(plan.contribution_entries))),
        solution_(interleaved(at(tree.n))),
        solve_contributions_(interleaved(tree.row.size())) {}

  void eliminate(Index lane, const PermutedMatrix& b, double threshold) {
    const std::vector<T> scaled = scaled_values(b);
    for (std::size_t e = 0; e < plan_.entry.size(); ++e) {
      values_[e * lanes + at(lane)] = scaled[at(graph_.entry_source[at(plan_.entry[e])])];
    }
    const ModelRule<T> rule{static_cast<T>(threshold * b.scaled_norm)};
    std::vector<T> block(at(pivot_block * pivot_block * lanes));
    for (const LaneFront& front : plan_.front) {
      const LaneTile<T> tile(front, array(factors_, lane), array(contributions_, lane));
      assemble(front, tile, lane);
      LaneElimination<T, ModelPair<T>>(tile, LaneArray<T>{block.data()})
          .run(rule, &replaced[at(lane)]);
    }
  }

  // L \ b for fronts by lanes; b by position.
  void forward(Index lane, std::span<const T> b) {
    for (const Index k : plan_.pivot) array(solution_, lane)[k] = b[at(k)];
    std::array<T, at(lane_front_order) * lanes> vector;
    for (const LaneFront& front : plan_.front) {
      const LaneSweep<T> sweep(front, array_of(factors_, lane), {vector.data()});
      sweep.begin(array_of(solution_, lane));
      for_children(front, [&](const LaneChild& child) {
        sweep.add(child, tree_.parent_row.data(), array_of(solve_contributions_, lane));
      });
      for (Index i = 0; i < front.order(); ++i) {
        const T value = sweep.forward(i);
        if (i < front.pivots) {
          array(solution_, lane)[front.first + i] = value;
        } else {
          array(solve_contributions_, lane)[front.parent_rows + i - front.pivots] = value;
        }
      }
    }
  }
  // The solution at positions of these fronts; `x` has that at all others.
  void backward(Index lane, std::span<T> x) {
    for (const Index k : plan_.other) array(solution_, lane)[k] = x[at(k)];
    std::array<T, at(lane_front_order) * lanes> vector;
    for (std::size_t f = plan_.front.size(); f-- > 0;) {
      const LaneFront& front = plan_.front[f];
      const LaneSweep<T> sweep(front, array_of(factors_, lane), {vector.data()});
      sweep.gather(array_of(solution_, lane), tree_.row.data());
      for (Index i = 0; i < front.pivots; ++i) {
        x[at(front.first + i)] = array(solution_, lane)[front.first + i] = sweep.backward(i);
      }
    }
  }

  T factor(Index lane, Offset place) const { return factors_[at(place * lanes + lane)]; }
  T contribution(Index lane, Offset place) const {
    return contributions_[at(place * lanes + lane)];
  }
  std::array<Offset, lanes> replaced{};  // pivots of each lane

 private:
  static std::vector<T> interleaved(std::size_t entries) {
    return std::vector<T>(entries * lanes, std::nan(""));
  }
  static LaneArray<T> array(std::vector<T>& all, Index lane) { return {all.data() + lane}; }
  static LaneArray<const T> array_of(const std::vector<T>& all, Index lane) {
    return {all.data() + lane};
  }

  std::vector<T> scaled_values(const PermutedMatrix& b) const {
    std::vector<T> scaled(b.values.size());
    for (Index i = 0; i < b.pattern.n_rows; ++i) {
      for (Offset p = b.pattern.row_ptr[at(i)]; p < b.pattern.row_ptr[at(i) + 1]; ++p) {
        const double scale = b.row_scale[at(i)] * b.col_scale[at(b.pattern.col_idx[at(p)])];
        scaled[at(p)] = static_cast<T>(b.values[at(p)] * scale);
      }
    }
    return scaled;
  }

  template <class Body>
  void for_children(const LaneFront& front, const Body& body) const {
    for (Index k = front.child_begin; k < front.child_end; ++k) {
      const LaneChild& child = plan_.child[at(k)];
      ASSERT_LT(child.number, &front - plan_.front.data()) << "a child comes later";
      body(child);
    }
  }

  void assemble(const LaneFront& front, const LaneTile<T>& tile, Index lane) {
    const LaneAssembly<T> assembly(tile, array(contributions_, lane), tree_.parent_row.data());
    assembly.clear_factors();
    assembly.set(graph_.entry_place.data() + front.graph_entry,
                 array_of(values_, lane).from(front.entry_begin),
                 front.entry_end - front.entry_begin);
    assembly.clear_block();
    for_children(front, [&](const LaneChild& child) { assembly.add(child); });
  }

  const FrontTree& tree_;
  const TaskGraph& graph_;
  const LanePlan& plan_;
  std::vector<T> values_, factors_, contributions_, solution_, solve_contributions_;
};

}  // namespace lufact::test
