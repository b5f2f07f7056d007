// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

// The front that owns each entry of an arena by its contribution block.
class Arena {
 public:
  explicit Arena(Offset entries) : owner_(at(std::max(entries, Offset{0})), -1) {}
  bool put(Index f, const ScheduledFront& front) {
    return std::ranges::all_of(of(front), [](Index owner) { return owner < 0; }) && fill(front, f);
  }
  bool take(Index f, const ScheduledFront& front) {
    return std::ranges::all_of(of(front), [&](Index owner) { return owner == f; }) &&
           fill(front, -1);
  }
  bool holds(const ScheduledFront& front) const {
    return front.contribution >= 0 &&
           front.contribution + front.contribution_entries() <= Offset(owner_.size());
  }

 private:
  std::span<Index> of(const ScheduledFront& front) {
    return std::span(owner_).subspan(at(front.contribution), at(front.contribution_entries()));
  }
  bool fill(const ScheduledFront& front, Index owner) {
    std::ranges::fill(of(front), owner);
    return true;
  }
  std::vector<Index> owner_;
};

class ScheduleChecker {
 public:
  ScheduleChecker(const FrontTree& tree, const FrontSchedule& schedule)
      : tree_(tree),
        schedule_(schedule),
        shared_(schedule.shared_arena),
        done_(at(tree.fronts())) {}

  std::string find_fault() {
    if (at(tree_.fronts()) != schedule_.front.size() ||
        schedule_.parent_row.size() != tree_.parent_row.size() ||
        schedule_.entry_to.size() != tree_.entry_source.size()) {
      return "the schedule is not that of the fronts";
    }
    std::string fault;
    for (Index f = 0; f < tree_.fronts() && fault.empty(); ++f) fault = find_storage_fault(f);
    for (Index f = 0; f < tree_.fronts() && fault.empty(); ++f) fault = find_parent_fault(f);
    for (Index f = 0; f < tree_.fronts() && fault.empty(); ++f) fault = find_entry_fault(f);
    if (fault.empty()) fault = find_order_fault();
    return fault;
  }

 private:
  const ScheduledFront& front(Index f) const { return schedule_.front[at(f)]; }

  std::string find_storage_fault(Index f) {
    const ScheduledFront& one = front(f);
    if (one.pivots != tree_.pivots(f) || one.rows != tree_.contributions(f)) {
      return fmt::format("front {} has another size", f);
    }
    if (one.pivots == 0) return {};
    const bool apart = one.values >= values_ && one.vectors >= vectors_;
    values_ = one.end();
    vectors_ = one.vectors + one.row_stride();
    const bool inside = values_ <= schedule_.values && vectors_ <= schedule_.vectors;
    return apart && inside ? "" : fmt::format("the values of front {} are those of another", f);
  }

  // The row of front f at `position`, from 0, or -1.
  Index row_at(Index f, Index position) const {
    if (position < tree_.first[at(f) + 1]) return position - tree_.first[at(f)];
    const auto begin = tree_.row.begin() + tree_.row_ptr[at(f)];
    const auto end = tree_.row.begin() + tree_.row_ptr[at(f) + 1];
    const auto row = std::lower_bound(begin, end, position);
    return row == end || *row != position ? -1 : tree_.pivots(f) + static_cast<Index>(row - begin);
  }

  std::string find_parent_fault(Index f) const {
    if (front(f).pivots == 0) return {};
    Index parent = tree_.parent[at(f)];
    while (parent >= 0 && tree_.pivots(parent) == 0) parent = tree_.parent[at(parent)];
    if (front(f).parent != parent) return fmt::format("front {} has another parent", f);
    if (parent < 0) return {};
    const auto begin = schedule_.child.begin() + front(parent).child_begin;
    const auto end = schedule_.child.begin() + front(parent).child_end;
    if (std::count(begin, end, f) != 1) return fmt::format("front {} is not its parent's child", f);
    for (Offset p = tree_.row_ptr[at(f)]; p < tree_.row_ptr[at(f) + 1]; ++p) {
      if (schedule_.parent_row[at(p)] != row_at(parent, tree_.row[at(p)])) {
        return fmt::format("row {} of front {} is another row of its parent", tree_.row[at(p)], f);
      }
    }
    return {};
  }

  std::string find_entry_fault(Index f) const {
    const ScheduledFront& one = front(f);
    for (Offset e = tree_.entry_ptr[at(f)]; e < tree_.entry_ptr[at(f) + 1]; ++e) {
      const Offset row = tree_.entry_row[at(e)], column = tree_.entry_column[at(e)];
      const Offset low = std::min(row, column), high = std::max(row, column) - one.pivots;
      Offset place = one.values + column * one.pivot_stride() + row;
      if (high >= 0) {
        place = (row > column ? one.lower() : one.upper()) + low * one.row_stride() + high;
      }
      if (schedule_.entry_to[at(e)] != place) {
        return fmt::format("an entry of front {} is put in another place", f);
      }
    }
    return {};
  }

  // Every front once, after its children, whose blocks are there until it has added them.
  std::string find_order_fault() {
    std::string fault;
    for (const FrontSubtree& subtree : schedule_.subtree) {
      Arena arena(schedule_.thread_arena);
      for (Index f = subtree.begin; f < subtree.end && fault.empty(); ++f) {
        if (front(f).pivots > 0) fault = find_block_fault(f, arena);
      }
    }
    Arena none(0);
    for (const Index f : schedule_.above) {
      if (fault.empty()) fault = find_block_fault(f, none);
    }
    for (Index f = 0; f < tree_.fronts() && fault.empty(); ++f) {
      if (front(f).pivots > 0 && !done_[at(f)]) fault = fmt::format("front {} is left out", f);
    }
    return fault;
  }

  std::string find_block_fault(Index f, Arena& own) {
    if (done_[at(f)]) return fmt::format("front {} is eliminated twice", f);
    done_[at(f)] = true;
    Arena& to = front(f).shared ? shared_ : own;
    if (!to.holds(front(f)) || !to.put(f, front(f))) {
      return fmt::format("the block of front {} is put where another is, or nowhere", f);
    }
    for (Index c = front(f).child_begin; c < front(f).child_end; ++c) {
      const Index child = schedule_.child[at(c)];
      Arena& from = front(child).shared ? shared_ : own;
      if (!done_[at(child)] || !from.holds(front(child)) || !from.take(child, front(child))) {
        return fmt::format("front {} adds the block of front {}, which is not there", f, child);
      }
    }
    return {};
  }

  const FrontTree& tree_;
  const FrontSchedule& schedule_;
  Arena shared_;
  std::vector<bool> done_;
  Offset values_ = 0, vectors_ = 0;
};

}  // namespace

ValidatorVerdict validate_front_schedule(const FrontTree& tree, const FrontSchedule& schedule) {
  const std::string fault = ScheduleChecker(tree, schedule).find_fault();
  return {fault.empty(), "front-schedule", fault};
}

}  // namespace lufact
