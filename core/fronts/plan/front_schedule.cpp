// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/front_schedule.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/fronts/front_stages.hpp"

namespace lufact {
namespace {

// Adds entries to the length of an array whose size in bytes must fit an Offset.
void extend(Offset& total, Offset entries) {
  constexpr Offset most = std::numeric_limits<Offset>::max() / 16;
  if (entries > most - total) {
    throw Error(Outcome::oom_host, "size_overflow",
                "the fronts have more entries than can be addressed; another --ordering may give "
                "smaller ones");
  }
  total += entries;
}

// The two contribution stacks of a subtree. Blocks of fronts of one depth parity are on one stack,
// those of their parents on the other. In postorder, the blocks of a front's children are on top of
// their stack when the front is eliminated, and the front's own block goes to the other stack.
class BlockStacks {
 public:
  Offset push(Index parity, Offset entries) {
    const Offset place = top_[parity];
    extend(top_[parity], entries);
    most_[parity] = std::max(most_[parity], top_[parity]);
    return place;
  }
  void pop(Index parity, Offset entries) { top_[parity] -= entries; }
  Offset most(Index parity) const { return most_[parity]; }

 private:
  Offset top_[2] = {0, 0}, most_[2] = {0, 0};
};

class Scheduler {
 public:
  Scheduler(const FrontTree& tree, FrontSchedule& schedule) : tree_(tree), out_(schedule) {}

  void run(int threads) {
    skip_fronts_without_pivots();
    list_children();
    store_fronts();
    place_entries();
    cut_subtrees(threads);
    place_contributions();
  }

 private:
  Index count() const { return tree_.fronts(); }
  ScheduledFront& front(Index f) { return out_.front[at(f)]; }

  // Composes the relative indices of a front with those of its parent where that has no pivots.
  void skip_fronts_without_pivots() {
    out_.front.resize(at(count()));
    out_.parent_row.assign(tree_.parent_row.begin(), tree_.parent_row.end());
    for (Index f = count() - 1; f >= 0; --f) {
      front(f).pivots = tree_.pivots(f);
      front(f).rows = tree_.contributions(f);
      front(f).parent = tree_.parent[at(f)];
      const Index parent = front(f).parent;
      if (parent < 0 || tree_.pivots(parent) > 0) continue;
      const Index* const above = out_.parent_row.data() + tree_.row_ptr[at(parent)];
      for (Offset p = tree_.row_ptr[at(f)]; p < tree_.row_ptr[at(f) + 1]; ++p) {
        out_.parent_row[at(p)] = above[out_.parent_row[at(p)]];
      }
      front(f).parent = front(parent).parent;
    }
    for (ScheduledFront& one : out_.front) {
      if (one.pivots == 0) one.parent = -1;
    }
  }

  void list_children() {
    Index children = 0;
    for (Index f = 0; f < count(); ++f) {
      if (front(f).parent >= 0) ++front(front(f).parent).child_end;
    }
    for (ScheduledFront& one : out_.front) {
      const Index own = one.child_end;
      one.child_begin = one.child_end = children;
      children += own;
    }
    out_.child.resize(at(children));
    for (Index f = 0; f < count(); ++f) {
      if (front(f).parent >= 0) out_.child[at(front(front(f).parent).child_end++)] = f;
    }
  }

  void store_fronts() {
    for (ScheduledFront& one : out_.front) {
      if (one.pivots == 0) continue;
      one.values = out_.values;
      one.vectors = out_.vectors;
      extend(out_.values, one.end() - one.values);
      extend(out_.vectors, one.row_stride());
      out_.most_pivots = std::max(out_.most_pivots, one.pivots);
      out_.work += front_work(one);
    }
  }

  void place_entries() {
    out_.entry_to.resize(tree_.entry_source.size());
    for (Index f = 0; f < count(); ++f) {
      const ScheduledFront& one = front(f);
      for (Offset e = tree_.entry_ptr[at(f)]; e < tree_.entry_ptr[at(f) + 1]; ++e) {
        const Offset row = tree_.entry_row[at(e)], column = tree_.entry_column[at(e)];
        Offset& to = out_.entry_to[at(e)];
        if (column >= one.pivots) {
          to = one.upper() + row * one.row_stride() + column - one.pivots;
        } else if (row >= one.pivots) {
          to = one.lower() + column * one.row_stride() + row - one.pivots;
        } else {
          to = one.values + column * one.pivot_stride() + row;
        }
      }
    }
  }

  // Subtrees of a small share of the work each, so that threads which take them one by one end
  // together; with one thread, whole trees.
  void cut_subtrees(int threads) {
    std::vector<double> work(at(count()), 0), path(at(count()), 0);
    std::vector<Index> size(at(count()), 1);
    for (Index f = 0; f < count(); ++f) {
      const double own = front(f).pivots > 0 ? front_work(front(f)) : 0;
      work[at(f)] += own;
      path[at(f)] += own;
      out_.critical_work = std::max(out_.critical_work, path[at(f)]);
      if (tree_.parent[at(f)] >= 0) size[at(tree_.parent[at(f)])] += size[at(f)];
      const Index parent = front(f).parent;
      if (parent < 0) continue;
      work[at(parent)] += work[at(f)];
      path[at(parent)] = std::max(path[at(parent)], path[at(f)]);
    }
    const double most = threads > 1 ? out_.work / (subtrees_per_thread * threads) : out_.work;
    for (Index f = 0; f < count(); ++f) {
      if (front(f).pivots == 0) continue;
      const Index parent = front(f).parent;
      if (work[at(f)] > most) {
        out_.above.push_back(f);
      } else if (parent < 0 || work[at(parent)] > most) {
        out_.subtree.push_back({f + 1 - size[at(f)], f + 1});
      }
    }
    if (threads == 1) return;
    std::stable_sort(out_.subtree.begin(), out_.subtree.end(),
                     [&](const FrontSubtree& a, const FrontSubtree& b) {
                       return work[at(a.end) - 1] > work[at(b.end) - 1];
                     });
  }

  // Blocks of the roots of subtrees wait for the fronts above and have a place each; others share.
  void place_contributions() {
    set_depths();
    for (const FrontSubtree& subtree : out_.subtree) {
      ScheduledFront& root = front(subtree.end - 1);
      root.shared = true;
      root.contribution = out_.shared_arena;
      extend(out_.shared_arena, root.contribution_entries());
    }
    for (const FrontSubtree& subtree : out_.subtree) {
      std::vector<Index> below(at(Offset{subtree.end} - 1 - subtree.begin));
      std::iota(below.begin(), below.end(), subtree.begin);
      out_.thread_arena = std::max(out_.thread_arena, place(below, 0));
    }
    const Offset needed = place(out_.above, out_.shared_arena);
    for (const Index f : out_.above) front(f).shared = true;
    extend(out_.shared_arena, needed);
  }

  void set_depths() {
    depth_.assign(at(count()), 0);
    for (Index f = count() - 1; f >= 0; --f) {
      if (front(f).parent >= 0) depth_[at(f)] = depth_[at(front(f).parent)] + 1;
    }
  }

  // Places the blocks of `fronts`, in postorder, from `base` on; returns how many entries they
  // take.
  Offset place(const std::vector<Index>& fronts, Offset base) {
    BlockStacks stacks;
    for (const Index f : fronts) {
      ScheduledFront& one = front(f);
      if (one.pivots == 0) continue;
      const Index parity = depth_[at(f)] % 2;
      one.contribution = base + stacks.push(parity, one.contribution_entries());
      for (Index c = one.child_begin; c < one.child_end; ++c) {
        const ScheduledFront& child = front(out_.child[at(c)]);
        if (!child.shared) stacks.pop(1 - parity, child.contribution_entries());
      }
    }
    for (const Index f : fronts) {
      if (depth_[at(f)] % 2 == 1) front(f).contribution += stacks.most(0);
    }
    Offset needed = stacks.most(0);
    extend(needed, stacks.most(1));
    return needed;
  }

  const FrontTree& tree_;
  FrontSchedule& out_;
  std::vector<Index> depth_;  // of each front below the root of its tree
};

class SubtreesLevelize final : public LevelizeStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }

  ProductPtr run(const ProductPtr& symbolic, StageContext& context) const override {
    const auto& tree = product_cast<FrontTree>(*symbolic);
    auto schedule = std::make_shared<FrontSchedule>();
    Scheduler(tree, *schedule).run(std::max(1, context.options.threads));
    return schedule;
  }

 private:
  StageInfo info_{.name = "subtrees",
                  .description =
                      "subtrees of fronts for a thread each, then the fronts above them for all "
                      "threads",
                  .source = "core/fronts/plan",
                  .side = Side::host,
                  .deterministic = true,
                  .takes = {product_types::front_tree},
                  .gives = product_types::front_schedule};
};

}  // namespace

double ScheduledFront::flops() const noexcept {
  const double p = pivots, r = rows;
  const double below = p * (p - 1) / 2, squares = (p - 1) * p * (2 * p - 1) / 6;
  return below + p * r + 2 * (squares + 2 * below * r + p * r * r);
}

double front_work(const ScheduledFront& front) noexcept {
  constexpr double of_a_front = 1000, of_an_entry = 4;
  const double order = front.pivots + front.rows;
  return front.flops() + of_a_front + of_an_entry * order * order;
}

std::unique_ptr<LevelizeStage> make_subtrees_levelize() {
  return std::make_unique<SubtreesLevelize>();
}

}  // namespace lufact
