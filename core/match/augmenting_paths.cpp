// SPDX-License-Identifier: BSD-3-Clause
#include "core/match/augmenting_paths.hpp"

#include <algorithm>
#include <utility>

namespace lufact {

std::vector<Index> AssignmentState::free_sources() const {
  std::vector<Index> free;
  for (Offset s = 0; s < sources.size(); ++s) {
    if (sources[s].target < 0) free.push_back(static_cast<Index>(s));
  }
  return free;
}

// The two least costs_[p] - target dual of a source; +infinity where there is none.
struct AugmentingPaths::LeastTwo {
  Offset first_entry = -1, second_entry = -1;
  double first = infinity, second = infinity;
};

AugmentingPaths::LeastTwo AugmentingPaths::least_two(Index s) const noexcept {
  LeastTwo least;
  for (Offset p = graph_.row_ptr[s]; p < graph_.row_ptr[s + 1]; ++p) {
    const double cost = costs_[p] - state_.targets[graph_.col_idx[p]].dual;
    if (cost < least.first) {
      least.second = std::exchange(least.first, cost);
      least.second_entry = std::exchange(least.first_entry, p);
    } else if (cost < least.second) {
      least.second = cost;
      least.second_entry = p;
    }
  }
  return least;
}

void AugmentingPaths::reduce_free_sources() {
  Offset left = graph_.nnz() / 2;
  for (Index& s : roots_) {
    Index next = s;
    while (next >= 0 && left > 0) {
      s = next;
      left -= graph_.row_ptr[s + 1] - graph_.row_ptr[s];
      next = take_cheapest_target(s);
    }
    if (next >= 0) s = next;
  }
  std::erase_if(roots_, [this](Index s) { return state_.sources[s].target >= 0; });
  std::ranges::sort(roots_);
  // roots_ names a source twice that two chains ended with.
  const auto repeated = std::ranges::unique(roots_);
  roots_.erase(repeated.begin(), repeated.end());
}

// Matches source s and returns the source that must look elsewhere at once, -1 where none must.
Index AugmentingPaths::take_cheapest_target(Index s) noexcept {
  LeastTwo least = least_two(s);
  if (least.second == infinity) return -1;  // a single target: left to the searches
  const double step = least.second - least.first;
  Index target = graph_.col_idx[least.first_entry];
  if (step == 0 && state_.source_of_target[target] >= 0) {
    std::swap(least.first_entry, least.second_entry);
    target = graph_.col_idx[least.first_entry];
    if (state_.source_of_target[target] >= 0) return -1;
  }
  state_.sources[s].dual = least.second;
  state_.targets[target].dual -= step;
  const Index other = state_.source_of_target[target];
  if (other >= 0) {
    state_.sources[other].target = -1;
    state_.sources[other].entry = -1;
  }
  match(s, least.first_entry);
  return other;
}

void AugmentingPaths::match(Index s, Offset p) noexcept {
  SourceVertex& source = state_.sources[s];
  source.target = graph_.col_idx[p];
  source.entry = p;
  state_.source_of_target[source.target] = s;
}

bool AugmentingPaths::search_until(Offset limit) {
  for (; next_root_ < roots_.size(); ++next_root_) {
    if (work_ > limit) return false;
    if (!augment_from(roots_[next_root_])) ++failures_;
  }
  return true;
}

bool AugmentingPaths::augment_from(Index root) {
  path_length_ = infinity;
  last_distance_ = 0;
  scan(root, 0);
  for (Index t = next_target(); t >= 0; t = next_target()) {
    scanned_.push_back(t);
    last_distance_ = state_.targets[t].distance;
    scan(state_.source_of_target[t], last_distance_);
  }
  const bool found = path_length_ < infinity;
  if (found) {
    flip_path(root);
    update_duals(root);
    forget_search();
  } else {
    abandon_reached_targets();
  }
  return found;
}

// Relaxes the entries of source s, whose distance from the root is given.
void AugmentingPaths::scan(Index s, double distance) {
  constexpr Index block = 32;
  const Offset begin = graph_.row_ptr[s], end = graph_.row_ptr[s + 1];
  const double base = distance - state_.sources[s].dual;
  const TargetVertex* const targets = state_.targets.begin();
  const Index* const col_idx = graph_.col_idx.data();
  const double* const costs = costs_.data();
  work_ += end - begin;
  Offset closer[block];
  double distances[block];
  for (Offset first = begin; first < end; first += block) {
    const Offset last = std::min(end, first + block);
    const double bound = path_length_;
    Index found = 0;
    for (Offset p = first; p < last; ++p) {
      const TargetVertex& target = targets[col_idx[p]];
      // Rounding may leave a reduced cost a few units below zero.
      const double through = std::max(distance, base + costs[p] - target.dual);
      closer[found] = p;
      distances[found] = through;
      found += through < std::min(bound, target.distance) ? 1 : 0;
    }
    for (Index c = 0; c < found; ++c) {
      const Offset p = closer[c];
      const Index t = col_idx[p];
      if (distances[c] >= path_length_) continue;
      if (state_.source_of_target[t] < 0) {
        path_length_ = distances[c];
        path_entry_ = p;
        path_source_ = s;
      } else {
        reach(t, s, p, distances[c]);
      }
    }
  }
}

void AugmentingPaths::reach(Index t, Index s, Offset p, double distance) {
  TargetVertex& target = state_.targets[t];
  if (target.distance == infinity) reached_.push_back(t);
  target.distance = distance;
  arrivals_[t] = {p, s};
  if (distance <= last_distance_) {
    nearest_.push_back(t);
  } else {
    heap_.push(distance, t);
  }
}

// The unscanned target of smallest distance, or -1 where none can shorten the best path.
Index AugmentingPaths::next_target() {
  if (!nearest_.empty() && last_distance_ < path_length_) {
    const Index t = nearest_.back();
    nearest_.pop_back();
    return t;
  }
  while (!heap_.empty() && heap_.top().distance < path_length_) {
    const auto [distance, t] = heap_.top();
    heap_.pop();
    if (distance == state_.targets[t].distance) return t;  // else it was reached again, from nearer
  }
  return -1;
}

void AugmentingPaths::flip_path(Index root) noexcept {
  Index s = path_source_;
  Offset p = path_entry_;
  while (true) {
    const Index previous = state_.sources[s].target;
    match(s, p);
    if (s == root) return;
    s = arrivals_[previous].source;
    p = arrivals_[previous].entry;
  }
}

void AugmentingPaths::update_duals(Index root) noexcept {
  nd::Buffer<TargetVertex>& targets = state_.targets;
  for (const Index t : scanned_) targets[t].dual += targets[t].distance - path_length_;
  const auto tighten = [this](Index s) {
    SourceVertex& source = state_.sources[s];
    source.dual = costs_[source.entry] - state_.targets[source.target].dual;
  };
  for (const Index t : scanned_) tighten(state_.source_of_target[t]);
  tighten(path_source_);
  tighten(root);
}

void AugmentingPaths::forget_search() noexcept {
  for (const Index t : reached_) state_.targets[t].distance = infinity;
  heap_.clear();
  nearest_.clear();
  reached_.clear();
  scanned_.clear();
}

// A distance of -infinity keeps a target out of every later search.
void AugmentingPaths::abandon_reached_targets() noexcept {
  for (const Index t : reached_) state_.targets[t].distance = -infinity;
  reached_.clear();
  forget_search();
}

}  // namespace lufact
