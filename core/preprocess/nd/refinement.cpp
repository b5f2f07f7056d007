// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <atomic>
#include <vector>

#include "core/matrix/parallel.hpp"
#include "core/preprocess/nd/partition.hpp"
#include "core/preprocess/nd/shared_list.hpp"

namespace lufact::nd {
namespace {

constexpr Index stays = -1;
constexpr Offset parallel_from_active = 512;
constexpr int most_parts_seen = 32;  // of one vertex's neighbours; more are not looked at

class KWayRefinement {
 public:
  KWayRefinement(const Graph& graph, const RefinementRules& rules, Parts& part, int threads)
      : graph_(graph),
        rules_(rules),
        part_(part),
        threads_(threads),
        target_(graph.n),
        gain_(graph.n),
        moves_(graph.n),
        active_(graph.n),
        is_active_(graph.n),
        part_weight_(static_cast<std::size_t>(rules.parts), 0),
        weight_change_(static_cast<std::size_t>(threads) * part_weight_.size(), 0) {
    weigh_parts();
    find_boundary();
  }

  void run() {
    for (int round = 0; round < rules_.rounds; ++round) {
      each_active([&](Index v) { propose(v, round + 2 < rules_.rounds); });
      each_active([&](Index v) { moves_[v] = target_[v] != stays && still_pays(v, round); });
      if (apply() * 4000 < graph_.n) return;
    }
  }

 private:
  template <class Body>
  void each_active(const Body& body) {
    const Offset count = active_.size();
    const int threads = threads_for(count, parallel_from_active, threads_);
#pragma omp parallel for schedule(dynamic, 128) num_threads(threads) if (threads > 1)
    for (Offset k = 0; k < count; ++k) body(active_[k]);
  }

  // Active are the vertices with a neighbour in another part, and those that once were or might
  // have become so. What a vertex does depends on none of their order.
  void find_boundary() {
    each_adding(graph_.n, 2048, threads_, active_, [&](Offset k, SharedList::Writer& writer) {
      const auto v = static_cast<Index>(k);
      target_[v] = stays;
      const auto neighbours = graph_.neighbours(v);
      const bool boundary =
          part_[v] >= 0 && std::any_of(neighbours.begin(), neighbours.end(), [&](Index u) {
            return part_[u] >= 0 && part_[u] != part_[v];
          });
      is_active_[v] = boundary ? 1 : 0;
      if (boundary) writer.add(v);
      return boundary;
    });
  }
  void activate_neighbours(Index v, SharedList::Writer& writer) noexcept {
    for (const Index u : graph_.neighbours(v)) {
      std::atomic_ref<char> flag(is_active_[u]);
      if (flag.load(std::memory_order_relaxed) != 0) continue;
      if (flag.exchange(1, std::memory_order_relaxed) == 0) writer.add(u);
    }
  }

  void weigh_parts() {
    collect(graph_.n, [&](Offset v, Offset* change, SharedList::Writer&) {
      if (part_[v] >= 0) change[part_[v]] += graph_.weight_of(static_cast<Index>(v));
      return false;
    });
    Offset total = 0;
    for (const Offset weight : part_weight_) total += weight;
    limit_ = static_cast<Offset>(rules_.imbalance * static_cast<double>(total) / rules_.parts) + 1;
  }

  // Runs body(k, change, writer) for k below `count`: what it adds to `change`, by part, is added
  // to the weights of the parts, what it writes becomes active. Returns how many calls were true.
  template <class Body>
  Offset collect(Offset count, const Body& body) {
    const auto parts = static_cast<std::size_t>(rules_.parts);
    const int threads = threads_for(count, parallel_from_active, threads_);
    Offset sum = 0;
#pragma omp parallel num_threads(threads) if (threads > 1) reduction(+ : sum)
    {
      Offset* const change =
          weight_change_.data() + parts * static_cast<std::size_t>(omp_get_thread_num());
      std::fill(change, change + parts, 0);
      SharedList::Writer writer(active_);
#pragma omp for schedule(static) nowait
      for (Offset k = 0; k < count; ++k) sum += body(k, change, writer) ? 1 : 0;
    }
    for (std::size_t thread = 0; thread < static_cast<std::size_t>(threads); ++thread) {
      for (std::size_t k = 0; k < parts; ++k) {
        part_weight_[k] += weight_change_[thread * parts + k];
      }
    }
    return sum;
  }

  // Weights of v's edges by the part of the other end.
  struct Surroundings {
    std::array<Index, most_parts_seen> part;
    std::array<Offset, most_parts_seen> weight;
    int count = 0;
    Offset inside = 0;

    void add(Index neighbour_part, Offset edge) noexcept {
      int k = 0;
      while (k < count && part[k] != neighbour_part) ++k;
      if (k == most_parts_seen) return;
      if (k == count) {
        part[count] = neighbour_part;
        weight[count++] = 0;
      }
      weight[k] += edge;
    }
  };
  void survey(Index v, Surroundings& around) const noexcept {
    for (Offset p = graph_.begin[v]; p < graph_.end(v); ++p) {
      const Index other = part_[graph_.adjacent[p]];
      if (other == part_[v]) {
        around.inside += graph_.edge_weight_of(p);
      } else if (other >= 0) {
        around.add(other, graph_.edge_weight_of(p));
      }
    }
  }

  // What the cut loses where a vertex of part `from` with these surroundings moves to part `to`.
  float gain_of(const Surroundings& around, Index from, Index to) const noexcept {
    float gain = -static_cast<float>(around.inside) * costs_.between(from, to);
    for (int k = 0; k < around.count; ++k) {
      gain += static_cast<float>(around.weight[k]) *
              (costs_.between(from, around.part[k]) - costs_.between(to, around.part[k]));
    }
    return gain;
  }

  void propose(Index v, bool daring) noexcept {
    target_[v] = stays;
    const Index from = part_[v];
    if (from < 0) return;
    Surroundings around;
    survey(v, around);
    float best_gain = 0;
    Index best = stays;
    for (int k = 0; k < around.count; ++k) {
      const Index to = around.part[k];
      if (part_weight_[to] + graph_.weight_of(v) > limit_) continue;
      const float gain = gain_of(around, from, to);
      if (best == stays || gain > best_gain ||
          (gain == best_gain && part_weight_[to] < part_weight_[best])) {
        best = to;
        best_gain = gain;
      }
    }
    if (best == stays) return;
    const float loss_allowed =
        daring ? 0.25f * static_cast<float>(around.inside) * costs_.between(from, best) : 0;
    if (best_gain >= 0 || best_gain > -loss_allowed || part_weight_[from] > limit_) {
      target_[v] = best;
      gain_[v] = best_gain;
    }
  }

  // The gain once those neighbours have moved whose proposals rank before v's.
  bool still_pays(Index v, int round) const noexcept {
    const Index from = part_[v], to = target_[v];
    float gain = 0;
    for (Offset p = graph_.begin[v]; p < graph_.end(v); ++p) {
      const Index u = graph_.adjacent[p];
      Index other = part_[u];
      if (other < 0) continue;
      const bool before = gain_[u] > gain_[v] || (gain_[u] == gain_[v] && u < v);
      if (target_[u] != stays && before) other = target_[u];
      gain += static_cast<float>(graph_.edge_weight_of(p)) *
              (costs_.between(from, other) - costs_.between(to, other));
    }
    if (gain > 0) return true;
    const bool lighter = part_weight_[to] + graph_.weight_of(v) < part_weight_[from];
    if (gain == 0) return lighter;
    const bool spread = (hash32(static_cast<std::uint64_t>(v + round)) & 3) == 0;
    return part_weight_[from] > limit_ && lighter && spread;
  }

  // Moves the vertices and returns how many.
  Offset apply() {
    return collect(active_.size(), [&](Offset k, Offset* change, SharedList::Writer& writer) {
      const Index v = active_[k];
      if (moves_[v] == 0) return false;
      change[part_[v]] -= graph_.weight_of(v);
      change[target_[v]] += graph_.weight_of(v);
      part_[v] = target_[v];
      activate_neighbours(v, writer);
      return true;
    });
  }

  const Graph& graph_;
  const RefinementRules& rules_;
  Parts& part_;
  int threads_;
  LevelCosts costs_;
  Buffer<Index> target_;
  Buffer<float> gain_;
  Buffer<char> moves_;
  SharedList active_;
  Buffer<char> is_active_;
  std::vector<Offset> part_weight_, weight_change_;
  Offset limit_ = 0;
};

}  // namespace

void refine(const Graph& graph, const RefinementRules& rules, Parts& part, int threads) {
  if (rules.parts < 2) return;
  KWayRefinement(graph, rules, part, threads_for(graph.n, parallel_from, threads)).run();
}

}  // namespace lufact::nd
