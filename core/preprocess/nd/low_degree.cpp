// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/nd/low_degree.hpp"

#include <atomic>
#include <utility>

#include "core/matrix/parallel.hpp"

namespace lufact::nd {
namespace {

constexpr Index low = 2;
constexpr int most_rounds = 32;
constexpr Offset parallel_from_listed = 2048;
constexpr Index short_list = 1000;  // longer ones are cleaned of repetitions once, at the end
constexpr char alive = -1;

class Elimination {
 public:
  Elimination(Graph graph, int threads)
      : graph_(std::move(graph)),
        threads_(threads),
        round_(graph_.n),
        touched_flag_(graph_.n),
        candidates_(graph_.n),
        next_(graph_.n),
        touched_(graph_.n) {
    std::atomic<Offset> count{0};
    each_vertex([&](Index v) {
      round_[v] = alive;
      touched_flag_[v] = 0;
      if (graph_.degree[v] <= low) add(candidates_, count, v);
    });
    candidate_count_ = count;
  }

  LowDegree run() && {
    LowDegree result;
    if (candidate_count_ * 20 < graph_.n || graph_.n == 0) {
      result.graph = std::move(graph_);
      return result;
    }
    int rounds = 0;
    while (rounds < most_rounds && eliminate(static_cast<char>(rounds++)) * 200 >= graph_.n) {
    }
    result.order = order_by_round(rounds);
    result.cost = cost(result.order, rounds);
    keep(result);
    return result;
  }

 private:
  template <class Body>
  void each_vertex(const Body& body) {
#pragma omp parallel for schedule(dynamic, 2048) num_threads(threads_) if (threads_ > 1)
    for (Index v = 0; v < graph_.n; ++v) body(v);
  }
  template <class Body>
  void each_of(const Buffer<Index>& list, Offset count, const Body& body) {
    const int threads = threads_for(count, parallel_from_listed, threads_);
#pragma omp parallel for schedule(dynamic, 256) num_threads(threads) if (threads > 1)
    for (Offset k = 0; k < count; ++k) body(list[k]);
  }
  static void add(Buffer<Index>& list, std::atomic<Offset>& count, Index v) noexcept {
    list[count.fetch_add(1, std::memory_order_relaxed)] = v;
  }

  // One round; returns how many went. The order of the lists of candidates and touched vertices
  // does not matter.
  Offset eliminate(char round) {
    std::atomic<Offset> gone{0}, waiting{0}, touched{0};
    each_of(candidates_, candidate_count_, [&](Index v) {
      if (is_local_maximum(v)) {
        gone.fetch_add(1, std::memory_order_relaxed);
        touch_neighbours(v, touched);
        std::atomic_ref<char>(round_[v]).store(round, std::memory_order_relaxed);
      } else {
        touch(v, touched);  // looked at again, although its list may stay as it is
      }
    });
    each_of(touched_, touched, [&](Index v) {
      touched_flag_[v] = 0;
      rewrite(v, round);
      if (graph_.degree[v] <= low) add(next_, waiting, v);
    });
    std::swap(candidates_, next_);
    candidate_count_ = waiting;
    return gone;
  }

  bool is_local_maximum(Index v) const noexcept {
    const std::uint32_t own = hash32(static_cast<std::uint64_t>(v));
    for (const Index u : graph_.neighbours(v)) {
      if (graph_.degree[u] > low) continue;
      const std::uint32_t other = hash32(static_cast<std::uint64_t>(u));
      if (other > own || (other == own && u > v)) return false;
    }
    return true;
  }

  void touch(Index v, std::atomic<Offset>& count) noexcept {
    std::atomic_ref<char> flag(touched_flag_[v]);
    if (flag.exchange(1, std::memory_order_relaxed) == 0) add(touched_, count, v);
  }
  void touch_neighbours(Index v, std::atomic<Offset>& count) noexcept {
    for (const Index u : graph_.neighbours(v)) touch(u, count);
  }

  // In v's list the other neighbour of what is gone takes its place. Lists of what is gone stay.
  void rewrite(Index v, char round) noexcept {
    Index* const list = graph_.adjacent.begin() + graph_.begin[v];
    Index last = 0;
    for (Index k = 0; k < graph_.degree[v]; ++k) {
      const Index u = list[k];
      const Index stands = round_[u] == round ? other_neighbour(u, v) : u;
      if (stands >= 0) list[last++] = stands;
    }
    graph_.degree[v] = last;
    if (last <= short_list) remove_repetitions(v);
  }
  Index other_neighbour(Index gone, Index v) const noexcept {
    for (const Index u : graph_.neighbours(gone)) {
      if (u != v) return u;
    }
    return -1;
  }
  void remove_repetitions(Index v) noexcept {
    Index* const list = graph_.adjacent.begin() + graph_.begin[v];
    std::sort(list, list + graph_.degree[v]);
    graph_.degree[v] = static_cast<Index>(std::unique(list, list + graph_.degree[v]) - list);
  }

  // What is gone, by round and number: chunks of vertices are counted, then written.
  std::vector<Index> order_by_round(int rounds) const {
    std::vector<Offset> counts(static_cast<std::size_t>(threads_ * rounds), 0);
    const auto each_gone = [&](int chunk, const auto& body) {
      const Offset n = graph_.n;
      for (Offset v = n * chunk / threads_; v < n * (chunk + 1) / threads_; ++v) {
        if (round_[v] != alive) body(v, counts[round_[v] * threads_ + chunk]);
      }
    };
#pragma omp parallel for schedule(static, 1) num_threads(threads_) if (threads_ > 1)
    for (int chunk = 0; chunk < threads_; ++chunk) {
      each_gone(chunk, [](Offset, Offset& count) { ++count; });
    }
    const Offset total = exclusive_scan(std::span<Offset>(counts), 1);
    std::vector<Index> order(static_cast<std::size_t>(total));
#pragma omp parallel for schedule(static, 1) num_threads(threads_) if (threads_ > 1)
    for (int chunk = 0; chunk < threads_; ++chunk) {
      each_gone(chunk, [&](Offset v, Offset& next) { order[next++] = static_cast<Index>(v); });
    }
    return order;
  }

  OrderingCost cost(const std::vector<Index>& order, int rounds) const {
    OrderingCost sum;
    for (const Index v : order) {
      const double below = graph_.degree[v];
      sum.nnz_l += below + 1;
      sum.flops += below + 2 * below * below;
    }
    sum.path = {10.0 * rounds, rounds};
    return sum;
  }

  void keep(LowDegree& result) {
    const Index n = graph_.n;
    Buffer<Index> number(n);
    each_vertex([&](Index v) { number[v] = round_[v] == alive ? 1 : 0; });
    const Index kept = exclusive_scan({number.begin(), static_cast<std::size_t>(n)}, threads_);
    result.kept = Buffer<Index>(kept);
    result.graph.n = kept;
    result.graph.begin = Buffer<Offset>(kept);
    result.graph.degree = Buffer<Index>(kept);
    each_vertex([&](Index v) {
      if (round_[v] != alive) return;
      if (graph_.degree[v] > short_list) remove_repetitions(v);
      const Index k = number[v];
      result.kept[k] = v;
      result.graph.begin[k] = graph_.begin[v];
      result.graph.degree[k] = graph_.degree[v];
      for (Offset p = graph_.begin[v]; p < graph_.end(v); ++p) {
        graph_.adjacent[p] = number[graph_.adjacent[p]];
      }
    });
    result.graph.adjacent = std::move(graph_.adjacent);
  }

  Graph graph_;
  int threads_;
  Buffer<char> round_;  // in which a vertex went, or `alive`
  Buffer<char> touched_flag_;
  Buffer<Index> candidates_, next_, touched_;
  Offset candidate_count_ = 0;
};

}  // namespace

LowDegree eliminate_low_degrees(Graph graph, int threads) {
  const int team = threads_for(graph.n, parallel_from, threads);
  return Elimination(std::move(graph), team).run();
}

}  // namespace lufact::nd
