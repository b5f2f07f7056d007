// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/plan/contribution_stack.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/block_heap.hpp"
#include "core/fronts/plan/contribution_arenas.hpp"

namespace lufact {
namespace {

// Entries that a front stores of the factors, with the gap behind them.
Offset factor_entries(const TaskGraph& graph, std::size_t f) {
  const bool last = f + 1 == graph.shape.size();
  return (last ? graph.factor_entries : graph.shape[f + 1].factors) - graph.shape[f].factors;
}

// The same of every front's subtree.
std::vector<Offset> subtree_factors(const TaskGraph& graph) {
  std::vector<Offset> factors(graph.shape.size() + 1, 0);
  for (std::size_t f = 0; f < graph.shape.size(); ++f) {
    factors[f] += factor_entries(graph, f);
    factors[parent_of(graph.shape, f)] += factors[f];
  }
  return factors;
}

// Whether the fronts of every front's subtree follow one another.
std::vector<bool> contiguous_subtrees(const std::vector<FrontShape>& shape) {
  std::vector<std::size_t> first(shape.size() + 1), size(shape.size() + 1, 1);
  std::iota(first.begin(), first.end(), std::size_t{0});
  std::vector<bool> contiguous(shape.size());
  for (std::size_t f = 0; f < shape.size(); ++f) {
    contiguous[f] = first[f] + size[f] == f + 1;
    const std::size_t parent = parent_of(shape, f);
    first[parent] = std::min(first[parent], first[f]);
    size[parent] += size[f];
  }
  return contiguous;
}

class PartPlacer {
 public:
  PartPlacer(const PartLimits& most, TaskGraph& graph)
      : most_(most),
        graph_(graph),
        shape_(graph.shape),
        need_(subtree_needs(graph.shape)),
        next_(graph.shape.size()),
        factors_(subtree_factors(graph)) {
    parts_.part.resize(shape_.size());
    find_subtrees();
  }

  FrontParts run() {
    for (std::size_t f = 0; f < shape_.size(); ++f) {
      if (!is_inside(f)) append(f);
    }
    for (std::size_t f = shape_.size(); f-- > 0;) {
      if (is_inside(f)) {
        place_inside(f);
      } else {
        shape_[f].contribution += workspace_;
      }
    }
    graph_.contribution_entries = workspace_ + heap_.size();
    return std::move(parts_);
  }

 private:
  // Whether front f is the root of a subtree that may be taken as a whole, or below such a root.
  bool is_whole(std::size_t f) const { return whole_[f]; }
  bool is_inside(std::size_t f) const { return inside_[f]; }

  void find_subtrees() {
    whole_.assign(shape_.size(), true);
    inside_.assign(shape_.size(), false);
    if (most_.contiguous) whole_ = contiguous_subtrees(shape_);
    for (std::size_t f = shape_.size(); f-- > 0;) {
      const Index parent = shape_[f].parent;
      inside_[f] = parent >= 0 && (whole_[at(parent)] || inside_[at(parent)]);
      whole_[f] =
          whole_[f] && need_[f].both() <= most_.contributions && factors_[f] <= most_.factors;
    }
  }

  // Appends a subtree, or a front above the subtrees, to the parts.
  void append(std::size_t f) {
    const Offset taken = is_whole(f) ? need_[f].both() : block_entries(shape_[f]);
    const Offset stored = is_whole(f) ? factors_[f] : factor_entries(graph_, f);
    const bool more_blocks = taken_ > 0 && taken_ + taken > most_.contributions;
    const bool more_factors = stored_ > 0 && stored_ + stored > most_.factors;
    if (more_blocks || more_factors) begin_part();
    taken_ += taken;
    stored_ += stored;
    parts_.part[f] = parts_.count - 1;
    shape_[f].contribution = heap_.take(block_entries(shape_[f]));
    if (is_whole(f)) {
      next_[f] = {used_, used_ + need_[f].own};
      used_ += need_[f].both();
      workspace_ = std::max(workspace_, used_);
      return;
    }
    for (Index c = shape_[f].child_begin; c < shape_[f].child_end; ++c) {
      read_.push_back(graph_.child[at(c)]);
    }
  }

  void begin_part() {
    for (const Index f : read_) {
      heap_.give_back(shape_[at(f)].contribution, block_entries(shape_[at(f)]));
    }
    read_.clear();
    ++parts_.count;
    taken_ = stored_ = used_ = 0;
  }

  void place_inside(std::size_t f) {
    const std::size_t parent = at(shape_[f].parent);
    parts_.part[f] = parts_.part[parent];
    next_[f] = take_arenas(need_[f], next_[parent]);
    shape_[f].contribution = next_[f].own;
  }

  PartLimits most_;
  TaskGraph& graph_;
  std::vector<FrontShape>& shape_;
  std::vector<TwoArenas> need_, next_;  // next_: of fronts in subtrees that are taken as a whole
  std::vector<Offset> factors_;         // of every front's subtree
  std::vector<bool> whole_, inside_;
  FrontParts parts_;
  BlockHeap heap_;           // behind the workspace of the subtrees
  std::vector<Index> read_;  // fronts whose blocks the part at hand reads from the heap
  Offset taken_ = 0, stored_ = 0, used_ = 0, workspace_ = 0;
};

}  // namespace

void place_contributions(TaskGraph& graph) {
  std::vector<FrontShape>& shape = graph.shape;
  const std::vector<TwoArenas> need = subtree_needs(shape);
  std::vector<TwoArenas> next(shape.size() + 1);
  next.back() = {0, need.back().own};
  for (std::size_t f = shape.size(); f-- > 0;) {
    next[f] = take_arenas(need[f], next[parent_of(shape, f)]);
    shape[f].contribution = next[f].own;
  }
  graph.contribution_entries = need.back().both();
}

FrontParts place_in_parts(const PartLimits& most, TaskGraph& graph) {
  return PartPlacer(most, graph).run();
}

}  // namespace lufact
