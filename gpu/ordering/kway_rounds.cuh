// SPDX-License-Identifier: BSD-3-Clause
// The steps of one vertex in a round of k-way refinement. Names, rules and the order in which
// floats are added are those of the host's twin, core/order/nd/refinement.cpp.
#pragma once
#include "gpu/ordering/surroundings.cuh"
#include "gpu/ordering/vertex_groups.cuh"

namespace lufact::gpu {

struct KWayRules {
  Index parts = 1;
  int rounds = 0;
  double imbalance = 1;
};

// One entry a vertex, but for the last ones, which begin as zeros.
struct KWayArrays {
  Index *part = nullptr, *target = nullptr;
  float* gain = nullptr;
  char* is_active = nullptr;
  unsigned char* moves = nullptr;
  unsigned long long* part_weight = nullptr;   // by part
  unsigned long long* total_weight = nullptr;  // a single one
  unsigned long long* moved = nullptr;         // by round
};

class KWayRounds {
 public:
  static constexpr Index stays = -1;
  // More parts than 32 around a vertex are not looked at.
  using Surroundings = PartWeights<32>;

  __device__ KWayRounds(const GraphRef& graph, const KWayRules& rules, const KWayArrays& arrays,
                        const DeviceLevelCosts& costs)
      : graph_(graph), rules_(rules), arrays_(arrays), costs_(costs) {}

  __device__ void start(Index v) const {
    arrays_.target[v] = stays;
    arrays_.moves[v] = 0;
  }
  // Whether v may be near a cut: only vertices whose cluster was near a cut of the coarse graph.
  __device__ bool may_be_active(Index v) const {
    return arrays_.part[v] >= 0 && arrays_.is_active[v] != 0;
  }
  template <class Group>
  __device__ void find_boundary(const Group& group, Index v) const {
    const Index own = arrays_.part[v];
    const bool found = group.any(begin(v), end(v), [&](Offset p) {
      const Index other = arrays_.part[graph_.adjacent[p]];
      return other >= 0 && other != own;
    });
    if (group.leads()) arrays_.is_active[v] = found ? 1 : 0;
  }
  // To be called after the parts are weighed.
  __device__ void find_limit() {
    const auto total = static_cast<double>(*arrays_.total_weight);
    limit_ = static_cast<Offset>(rules_.imbalance * total / rules_.parts) + 1;
  }

  __device__ bool is_active(Index v) const { return arrays_.is_active[v] != 0; }
  __device__ bool has_target(Index v) const { return arrays_.target[v] != stays; }
  __device__ bool is_moving(Index v) const { return arrays_.moves[v] != 0; }

  template <class Group>
  __device__ void propose(const Group& group, Index v, bool daring) const {
    const Index from = arrays_.part[v];
    Index best = stays;
    float best_gain = 0;
    if (from >= 0) {
      Surroundings around;
      const float inside = survey(group, v, around);
      best = best_target(around, v, inside, best_gain);
      if (best != stays && !is_worthwhile(from, best, best_gain, inside, daring)) best = stays;
    }
    if (!group.leads()) return;
    arrays_.target[v] = best;
    if (best != stays) arrays_.gain[v] = best_gain;
  }

  template <class Group>
  __device__ void judge(const Group& group, Index v, int round) const {
    const bool moves = has_target(v) && still_pays(group, v, round);
    if (group.leads()) arrays_.moves[v] = moves ? 1 : 0;
  }

  template <class Group>
  __device__ void move(const Group& group, Index v, int round) const {
    if (group.leads()) {
      const auto weight = static_cast<unsigned long long>(weight_of(graph_, v));
      atomicAdd(&arrays_.part_weight[arrays_.part[v]], ~weight + 1);
      atomicAdd(&arrays_.part_weight[arrays_.target[v]], weight);
      arrays_.part[v] = arrays_.target[v];
      atomicAdd(&arrays_.moved[round], 1ull);
    }
    // All threads write the same value here.
    group.for_each(begin(v), end(v), [&](Offset p) { arrays_.is_active[graph_.adjacent[p]] = 1; });
  }
  // Whether so few vertices have moved that another round does not pay.
  __device__ bool is_settled(int round) const {
    return static_cast<Offset>(arrays_.moved[round]) * 4000 < graph_.n;
  }

 private:
  __device__ Offset begin(Index v) const { return graph_.begin[v]; }
  __device__ Offset end(Index v) const { return graph_.begin[v] + graph_.degree[v]; }
  __device__ Offset part_weight(Index part) const {
    return static_cast<Offset>(arrays_.part_weight[part]);
  }

  // Sums the weights of v's edges by the part of the other end; returns the sum for v's own part.
  template <class Group>
  __device__ float survey(const Group& group, Index v, Surroundings& around) const {
    const Index own = arrays_.part[v];
    float inside = 0;
    const auto load = [&](Offset p, Neighbour& seen) {
      seen = {arrays_.part[graph_.adjacent[p]], static_cast<float>(edge_weight_of(graph_, p))};
      return seen.id >= 0;
    };
    group.in_order(begin(v), end(v), load, [&](const Neighbour& seen) {
      if (seen.id == own) {
        inside += seen.value;
      } else {
        around.add(seen.id, seen.value);
      }
      return true;
    });
    return inside;
  }

  // Cost of the edges to other parts if a vertex with these surroundings is in part `own`.
  __device__ float cost_outside(const Surroundings& around, Index own) const {
    float cost = 0;
    for (int k = 0; k < around.count(); ++k) {
      cost += around.weight(k) * costs_.between(own, around.part(k));
    }
    return cost;
  }

  __device__ Index best_target(const Surroundings& around, Index v, float inside,
                               float& best_gain) const {
    const Index from = arrays_.part[v];
    const float cost = cost_outside(around, from);
    Index best = stays;
    for (int k = 0; k < around.count(); ++k) {
      const Index to = around.part(k);
      if (part_weight(to) + weight_of(graph_, v) > limit_) continue;
      const float gain = cost - cost_outside(around, to) - inside * costs_.between(from, to);
      if (best == stays || gain > best_gain ||
          (gain == best_gain && part_weight(to) < part_weight(best))) {
        best = to;
        best_gain = gain;
      }
    }
    return best;
  }
  __device__ bool is_worthwhile(Index from, Index to, float gain, float inside, bool daring) const {
    const float loss_allowed = daring ? 0.25f * inside * costs_.between(from, to) : 0;
    return gain >= 0 || gain > -loss_allowed || part_weight(from) > limit_;
  }

  __device__ bool ranks_before(Index u, Index v) const {
    return arrays_.gain[u] > arrays_.gain[v] || (arrays_.gain[u] == arrays_.gain[v] && u < v);
  }
  // The gain of v's move once the neighbours whose proposals rank before v's have moved.
  template <class Group>
  __device__ float gain_after_better(const Group& group, Index v) const {
    const Index from = arrays_.part[v], to = arrays_.target[v];
    float gain = 0;
    const auto load = [&](Offset p, Neighbour& seen) {
      const Index u = graph_.adjacent[p];
      Index other = arrays_.part[u];
      if (other < 0) return false;
      if (has_target(u) && ranks_before(u, v)) other = arrays_.target[u];
      seen.value = static_cast<float>(edge_weight_of(graph_, p)) *
                   (costs_.between(from, other) - costs_.between(to, other));
      return true;
    };
    group.in_order(begin(v), end(v), load, [&](const Neighbour& seen) {
      gain += seen.value;
      return true;
    });
    return gain;
  }
  template <class Group>
  __device__ bool still_pays(const Group& group, Index v, int round) const {
    const Index from = arrays_.part[v], to = arrays_.target[v];
    const float gain = gain_after_better(group, v);
    if (gain > 0) return true;
    const bool lighter = part_weight(to) + weight_of(graph_, v) < part_weight(from);
    if (gain == 0) return lighter;
    const bool spread = (nd::hash32(static_cast<std::uint64_t>(v + round)) & 3) == 0;
    return part_weight(from) > limit_ && lighter && spread;
  }

  const GraphRef& graph_;
  const KWayRules& rules_;
  const KWayArrays& arrays_;
  const DeviceLevelCosts& costs_;
  Offset limit_ = 0;
};

}  // namespace lufact::gpu
