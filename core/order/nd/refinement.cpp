// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <atomic>
#include <vector>

#include "core/matrix/parallel.hpp"
#include "core/order/nd/flagged.hpp"
#include "core/order/nd/part_weights.hpp"
#include "core/order/nd/partition.hpp"

namespace lufact::nd {
namespace {

constexpr Index stays = -1;
// More parts than 32 around a vertex are not looked at.
using Surroundings = PartWeights<32>;

class KWayRefinement {
 public:
  KWayRefinement(const Graph& graph, const RefinementRules& rules, Partition& partition,
                 int threads)
      : graph_(graph),
        rules_(rules),
        part_(partition.part),
        is_active_(partition.near_cut),
        threads_(threads),
        target_(graph.n),
        gain_(graph.n),
        moves_(graph.n),
        surroundings_(static_cast<std::size_t>(threads), Surroundings(rules.parts)),
        part_weight_(static_cast<std::size_t>(rules.parts), 0),
        weight_change_(static_cast<std::size_t>(threads) * part_weight_.size(), 0),
        moved_(static_cast<std::size_t>(rules.rounds)) {}

  void run() {
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
    {
      start();
      Surroundings& around = surroundings_[static_cast<std::size_t>(omp_get_thread_num())];
      for (int round = 0; round < rules_.rounds; ++round) {
        each_active([&](Index v) { propose(v, around, round + 2 < rules_.rounds); });
        each_active(
            [&](Index v) { moves_[v] = target_[v] != stays && still_pays(v, round) ? 1 : 0; });
        if (apply(round) * 4000 < graph_.n) break;
      }
    }
  }

 private:
  // The steps are taken by the threads of a parallel region together. Active are the vertices that
  // have, had or may by now have a neighbour in another part.
  template <class Body>
  void each_active(const Body& body) {
    each_flagged(is_active_, threads_, [&](Index v) {
      body(v);
      return true;
    });
#pragma omp barrier
  }

  // Weighs the parts and finds their boundaries.
  void start() {
    Offset* const change = own_changes();
    each_vertex(graph_.n, threads_, [&](Index v) {
      target_[v] = stays;
      moves_[v] = 0;
      const Index own = part_[v];
      if (own < 0) return false;
      change[own] += graph_.weight_of(v);
      if (is_active_[v] == 0) return false;
      const auto neighbours = graph_.neighbours(v);
      is_active_[v] = std::any_of(neighbours.begin(), neighbours.end(),
                                  [&](Index u) { return part_[u] >= 0 && part_[u] != own; });
      return true;
    });
    add_changes(change);
#pragma omp barrier
#pragma omp single
    {
      Offset total = 0;
      for (const Offset weight : part_weight_) total += weight;
      limit_ =
          static_cast<Offset>(rules_.imbalance * static_cast<double>(total) / rules_.parts) + 1;
    }
  }

  // This thread's changes of the weights of the parts, set to 0.
  Offset* own_changes() noexcept {
    Offset* const change = weight_change_.data() + Offset{rules_.parts} * omp_get_thread_num();
    std::fill(change, change + rules_.parts, 0);
    return change;
  }
  void add_changes(const Offset* change) noexcept {
    for (Index k = 0; k < rules_.parts; ++k) {
      if (change[k] == 0) continue;
      std::atomic_ref<Offset>(part_weight_[k]).fetch_add(change[k], std::memory_order_relaxed);
    }
  }

  // Weights of v's edges by the part of the other end; returns that of those within v's own part.
  float survey(Index v, Surroundings& around) const noexcept {
    float inside = 0;
    around.clear();
    for (Offset p = graph_.begin[v]; p < graph_.end(v); ++p) {
      const Index other = part_[graph_.adjacent[p]];
      const auto edge = static_cast<float>(graph_.edge_weight_of(p));
      if (other == part_[v]) {
        inside += edge;
      } else if (other >= 0) {
        around.add(other, edge);
      }
    }
    return inside;
  }

  // Cost of the edges to other parts if a vertex with these surroundings is in part `own`.
  float cost_outside(const Surroundings& around, Index own) const noexcept {
    float cost = 0;
    for (int k = 0; k < around.count(); ++k) {
      cost += around.weight(k) * costs_.between(own, around.part(k));
    }
    return cost;
  }

  void propose(Index v, Surroundings& around, bool daring) noexcept {
    target_[v] = stays;
    const Index from = part_[v];
    if (from < 0) return;
    const float inside = survey(v, around);
    if (around.count() == 0) return;
    const float cost = cost_outside(around, from);
    float best_gain = 0;
    Index best = stays;
    for (int k = 0; k < around.count(); ++k) {
      const Index to = around.part(k);
      if (part_weight_[to] + graph_.weight_of(v) > limit_) continue;
      const float gain = cost - cost_outside(around, to) - inside * costs_.between(from, to);
      if (best == stays || gain > best_gain ||
          (gain == best_gain && part_weight_[to] < part_weight_[best])) {
        best = to;
        best_gain = gain;
      }
    }
    if (best == stays) return;
    const float loss_allowed = daring ? 0.25f * inside * costs_.between(from, best) : 0;
    if (best_gain >= 0 || best_gain > -loss_allowed || part_weight_[from] > limit_) {
      target_[v] = best;
      gain_[v] = best_gain;
    }
  }

  bool ranks_before(Index u, Index v) const noexcept {
    return gain_[u] > gain_[v] || (gain_[u] == gain_[v] && u < v);
  }
  // Whether v's move still gains once the neighbours whose proposals rank before v's have moved.
  bool still_pays(Index v, int round) const noexcept {
    const Index from = part_[v], to = target_[v];
    float gain = 0;
    for (Offset p = graph_.begin[v]; p < graph_.end(v); ++p) {
      const Index u = graph_.adjacent[p];
      Index other = part_[u];
      if (other < 0) continue;
      if (target_[u] != stays && ranks_before(u, v)) other = target_[u];
      gain += static_cast<float>(graph_.edge_weight_of(p)) *
              (costs_.between(from, other) - costs_.between(to, other));
    }
    if (gain > 0) return true;
    const bool lighter = part_weight_[to] + graph_.weight_of(v) < part_weight_[from];
    if (gain == 0) return lighter;
    const bool spread = (hash32(static_cast<std::uint64_t>(v + round)) & 3) == 0;
    return part_weight_[from] > limit_ && lighter && spread;
  }

  // Moves the vertices and returns how many, all threads the same.
  Offset apply(int round) {
    Offset* const change = own_changes();
    std::atomic<Offset>& moved = moved_[static_cast<std::size_t>(round)];
    moved += each_flagged(moves_, threads_, [&](Index v) {
      change[part_[v]] -= graph_.weight_of(v);
      change[target_[v]] += graph_.weight_of(v);
      part_[v] = target_[v];
      for (const Index u : graph_.neighbours(v)) {
        std::atomic_ref<char>(is_active_[u]).store(1, std::memory_order_relaxed);
      }
      return true;
    });
    add_changes(change);
#pragma omp barrier
    return moved;
  }

  const Graph& graph_;
  const RefinementRules& rules_;
  Parts& part_;
  Buffer<char>& is_active_;
  int threads_;
  LevelCosts costs_;
  Buffer<Index> target_;
  Buffer<float> gain_;
  Buffer<char> moves_;
  std::vector<Surroundings> surroundings_;  // by thread
  std::vector<Offset> part_weight_;
  std::vector<Offset> weight_change_;       // by thread and part
  std::vector<std::atomic<Offset>> moved_;  // by round
  Offset limit_ = 0;
};

}  // namespace

void refine(const Graph& graph, const RefinementRules& rules, Partition& partition, int threads) {
  if (rules.parts < 2) return;
  KWayRefinement(graph, rules, partition, team_for(graph, threads)).run();
}

}  // namespace lufact::nd
