// SPDX-License-Identifier: BSD-3-Clause
// Shortest augmenting paths of a sparse assignment problem, searched from one of its two sides.
#pragma once
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/base/types.hpp"
#include "core/match/distance_heap.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

struct SourceVertex {
  double dual;
  Offset entry;  // position of the matched entry
  Index target;  // matched target; -1: free
};

// The fields of a target that a search reads for every entry, and no more, so that many targets fit
// in the cache.
struct TargetVertex {
  double dual;
  double distance;  // +infinity: not reached
};

constexpr SourceVertex free_source(double dual) noexcept {
  return {dual, -1, -1};
}
constexpr TargetVertex unreached_target(double dual) noexcept {
  return {dual, std::numeric_limits<double>::infinity()};
}

// Duals and matching: reduced costs c_st - source dual - target dual are never negative (up to
// rounding) and zero on matched entries.
struct AssignmentState {
  nd::Buffer<SourceVertex> sources;
  nd::Buffer<TargetVertex> targets;
  nd::Buffer<Index> source_of_target;  // matched source; -1: free

  AssignmentState(Index n_sources, Index n_targets)
      : sources(n_sources), targets(n_targets), source_of_target(n_targets) {}

  std::vector<Index> free_sources() const;
};

// Matches sources to targets. Row s of the graph has the targets of source s. The augmenting row
// reduction is that of Jonker and Volgenant, "A shortest augmenting path algorithm for dense and
// sparse linear assignment problems", Computing 38, 1987; the searches are those of Duff and
// Koster, SIAM J. Matrix Anal. Appl. 22(4), 2001, section 4.
//
// Graph, costs and state must outlive the object, which alone may change the state.
class AugmentingPaths {
 public:
  // `free` are the free sources of the state, ascending.
  AugmentingPaths(const PatternView& graph, std::span<const double> costs, AssignmentState& state,
                  std::vector<Index> free)
      : graph_(graph),
        costs_(costs),
        state_(state),
        roots_(std::move(free)),
        arrivals_(state.targets.size()) {}

  // Lowers duals of targets so that free sources find a match without a search, where the graph
  // allows it. Looks at no more than half of the entries: beyond, sources compete for too few
  // targets, which searches settle sooner.
  void reduce_free_sources();
  // One search per free source, in ascending order, until all have been tried or `work` has passed
  // `limit`. True once all have been tried. Targets that a failed search reached lead to no free
  // target, so later searches leave them out: all failures together cost one pass over the graph.
  // After a failure the duals are no longer feasible.
  bool search_until(Offset limit);
  // Entries that the searches have looked at.
  Offset work() const noexcept { return work_; }
  // Searches that found no path.
  Index failures() const noexcept { return failures_; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  struct LeastTwo;
  struct Arrival {
    Offset entry;
    Index source;
  };

  LeastTwo least_two(Index s) const noexcept;
  Index take_cheapest_target(Index s) noexcept;
  void match(Index s, Offset p) noexcept;
  bool augment_from(Index root);
  void scan(Index s, double distance);
  void reach(Index t, Index s, Offset p, double distance);
  Index next_target();
  void flip_path(Index root) noexcept;
  void update_duals(Index root) noexcept;
  void forget_search() noexcept;
  void abandon_reached_targets() noexcept;

  PatternView graph_;
  std::span<const double> costs_;
  AssignmentState& state_;
  std::vector<Index> roots_;  // sources to search from, ascending
  std::size_t next_root_ = 0;
  Offset work_ = 0;
  Index failures_ = 0;

  // The state of one search; only what a search touched is reset after it.
  nd::Buffer<Arrival> arrivals_;  // how each reached target was reached
  DistanceHeap heap_;
  std::vector<Index> nearest_;  // reached at the distance of the last scan: no heap needed
  std::vector<Index> reached_;  // every target with a finite distance
  std::vector<Index> scanned_;  // targets whose source was scanned
  double last_distance_ = 0;    // of the last scanned target
  double path_length_ = infinity;
  Offset path_entry_ = -1;  // last entry of the best augmenting path
  Index path_source_ = -1;
};

}  // namespace lufact
