// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/analysis/shorten_paths.hpp"

#include <algorithm>
#include <vector>

namespace lufact {
namespace {

constexpr double long_path = 0.75;         // share of the longest one
constexpr double short_end = 0.08;         // share of the longest one; shorter paths gain little
constexpr Index most_pivots = tile_order;  // a front of more than a tile gains nothing

// Flops of a front, to leading order.
double work(double pivots, double order) noexcept {
  const double rows = order - pivots;
  return 2 * (order * order * order - rows * rows * rows) / 3;
}

class PathShortener {
 public:
  PathShortener(AmalgamationSets& sets, const FrontPathRates& rates) : sets_(sets), rates_(rates) {}

  void run() {
    const auto roots = list_roots();
    for (const Index root : roots) longest_ = std::max(longest_, set(root).path(rates_));
    for (const Index root : roots) push({root, 0, set(root).path(rates_)});
    while (!pending_.empty()) {
      const OnPath next = pending_.back();
      pending_.pop_back();
      children_.clear();
      append_children(next);
      while (merge_longest_child(next.set)) {
      }
      for (const OnPath& child : children_) push(child);
    }
  }

 private:
  // A set that is left; the latency of the sets that stood above it when it was found; the latency
  // of the longest path that ends with it.
  struct OnPath {
    Index set;
    double above, path;
  };

  AmalgamationSet& set(Index s) { return sets_[at(s)]; }

  std::vector<Index> list_roots() {
    std::vector<Index> roots;
    for (auto s = static_cast<Index>(sets_.size()) - 1; s >= 0; s -= set(s).subtree) {
      roots.push_back(s);
    }
    return roots;
  }

  void push(const OnPath& next) {
    const bool is_long = next.above + next.path >= long_path * longest_;
    if (is_long && next.path >= short_end * longest_) pending_.push_back(next);
  }

  // Appends the sets that are children of `parent` or of sets merged into it.
  void append_children(const OnPath& parent) {
    const AmalgamationSet& top = set(parent.set);
    const double above = parent.above + front_latency(top.pivots, top.rows(), rates_);
    merged_.assign(1, parent.set);
    while (!merged_.empty()) {
      const Index m = merged_.back();
      merged_.pop_back();
      for (Index c = m - 1; c > m - set(m).subtree; c -= set(c).subtree) {
        if (set(c).into == c) {
          children_.push_back({c, above, set(c).path(rates_)});
        } else {
          merged_.push_back(c);
        }
      }
    }
  }

  bool merge_longest_child(Index s) {
    const auto shorter = [](const OnPath& a, const OnPath& b) { return a.path < b.path; };
    const auto longest = std::max_element(children_.begin(), children_.end(), shorter);
    if (longest == children_.end()) return false;
    std::iter_swap(longest, children_.end() - 1);
    const OnPath child = children_.back();
    const auto next = std::max_element(children_.begin(), children_.end() - 1, shorter);
    const double others = children_.size() > 1 ? next->path : 0;
    AmalgamationSet joint = set(s);
    joint.absorb(set(child.set));
    joint.below = std::max(others, set(child.set).below);
    if (!is_worth(set(s), set(child.set), joint)) return false;
    set(s) = joint;
    children_.pop_back();
    append_children(child);
    set(child.set).into = s;
    return true;
  }

  bool is_worth(const AmalgamationSet& parent, const AmalgamationSet& child,
                const AmalgamationSet& joint) const noexcept {
    if (joint.pivots > most_pivots) return false;
    const double more_work = work(joint.pivots, joint.order) - work(parent.pivots, parent.order) -
                             work(child.pivots, child.order);
    return parent.path(rates_) - joint.path(rates_) > more_work / rates_.flops_worth_a_second;
  }

  AmalgamationSets& sets_;
  const FrontPathRates& rates_;
  double longest_ = 0;
  std::vector<OnPath> pending_, children_;  // children_: of the set at hand
  std::vector<Index> merged_;               // workspace
};

}  // namespace

void shorten_paths(AmalgamationSets& sets, const FrontPathRates& rates) {
  PathShortener(sets, rates).run();
}

}  // namespace lufact
