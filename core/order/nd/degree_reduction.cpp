// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/nd/degree_reduction.hpp"

#include <array>
#include <atomic>
#include <utility>

#include "core/matrix/parallel.hpp"
#include "core/order/nd/flagged.hpp"

namespace lufact::nd {
namespace {

constexpr Index low = 2;
constexpr int most_rounds = 32;
constexpr Index short_list = 1000;  // longer ones are not rewritten round by round but at the end
constexpr char alive = -1;

class Elimination {
 public:
  Elimination(const Graph& graph, int threads, const ColumnPathRates& rates)
      : given_(graph),
        rates_(rates),
        threads_(threads),
        round_(graph.n),
        candidate_(graph.n),
        touched_(graph.n) {
    std::atomic<Offset> count{0};
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
    count += each_vertex(graph.n, threads_, [&](Index v) {
      round_[v] = alive;
      touched_[v] = 0;
      candidate_[v] = graph.degree[v] <= low ? 1 : 0;
      return candidate_[v] != 0;
    });
    candidates_ = count;
  }

  DegreeReduction run() && {
    DegreeReduction result;
    if (candidates_ * 20 < given_.n || given_.n == 0) return result;
    graph_ = copy_of(given_, threads_);
    const int rounds = eliminate();
    rewrite_long_lists();
    list_by_round(rounds, result);
    result.cost = cost(result.order, rounds);
    keep(result);
    return result;
  }

 private:
  // Returns the number of rounds.
  int eliminate() {
    std::array<std::atomic<Offset>, most_rounds> gone{};
    std::atomic<int> rounds{0};
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
    {
      int round = 0;
      do {
        play(static_cast<char>(round), gone[static_cast<std::size_t>(round)]);
      } while (gone[static_cast<std::size_t>(round++)] * 200 >= graph_.n && round < most_rounds);
      rounds = round;  // all threads agree
    }
    return rounds;
  }

  // Plays one round for this thread's vertices, together with the other threads. Adds the number of
  // vertices eliminated to `gone`.
  void play(char round, std::atomic<Offset>& gone) {
    gone += each_flagged(candidate_, threads_, [&](Index v) {
      if (!is_local_maximum(v)) return false;
      round_[v] = round;
      candidate_[v] = 0;
      for (const Index u : graph_.neighbours(v)) {
        std::atomic_ref<char>(touched_[u]).store(1, std::memory_order_relaxed);
      }
      return true;
    });
#pragma omp barrier
    each_flagged(touched_, threads_, [&](Index v) {
      touched_[v] = 0;
      if (is_long(v)) return true;
      rewrite(v, round);
      candidate_[v] = graph_.degree[v] <= low ? 1 : 0;
      return true;
    });
#pragma omp barrier
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

  // Replaces each eliminated vertex in v's list, which ascends, by its other neighbour. Lists of
  // eliminated vertices stay as they are.
  void rewrite(Index v, char round) noexcept {
    Index* const list = graph_.adjacent.begin() + graph_.begin[v];
    std::array<Index, short_list> replacement;
    Index kept = 0, replaced = 0;
    for (Index k = 0; k < graph_.degree[v]; ++k) {
      const Index u = list[k];
      if (round_[u] != round) {
        list[kept++] = u;
        continue;
      }
      const Index stands = other_neighbour(u, v);
      if (stands >= 0) replacement[static_cast<std::size_t>(replaced++)] = stands;
    }
    std::sort(replacement.begin(), replacement.begin() + replaced);
    graph_.degree[v] = merged(list, kept, {replacement.data(), static_cast<std::size_t>(replaced)});
  }
  // Merges `more` into the first `count` of a list, both ascending, without repetitions.
  static Index merged(Index* list, Index count, std::span<const Index> more) noexcept {
    Index to = count + static_cast<Index>(more.size());
    Index* const end = list + to;
    for (std::size_t left = more.size(); left > 0;) {
      const bool from_list = count > 0 && list[count - 1] > more[left - 1];
      list[--to] = from_list ? list[--count] : more[--left];
    }
    return static_cast<Index>(std::unique(list, end) - list);
  }
  bool is_long(Index v) const noexcept {
    return given_.degree[v] > short_list;
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

  // Rewrites long lists at the end: the neighbour that replaces an eliminated vertex may itself
  // have been eliminated in a later round.
  void rewrite_long_lists() {
    std::vector<Index> vertices;
    for (Index v = 0; v < graph_.n; ++v) {
      if (is_long(v)) vertices.push_back(v);
    }
    parallel_for(static_cast<Offset>(vertices.size()), threads_, [&](Offset k) {
      const Index v = vertices[static_cast<std::size_t>(k)];
      Index* const list = graph_.adjacent.begin() + graph_.begin[v];
      Index last = 0;
      for (const Index u : graph_.neighbours(v)) {
        Index stands = u;
        while (stands >= 0 && round_[stands] != alive) stands = other_neighbour(stands, v);
        if (stands >= 0) list[last++] = stands;
      }
      graph_.degree[v] = last;
      remove_many_repetitions(v);
    });
  }
  // Removes repetitions by marks instead of sorting where the list is long enough.
  void remove_many_repetitions(Index v) {
    constexpr Offset marks_per_entry = 64;  // that are skipped in the time of sorting an entry
    if (graph_.degree[v] * marks_per_entry < graph_.n) return remove_repetitions(v);
    Buffer<char> is_there(graph_.n);
    std::fill(is_there.begin(), is_there.end(), 0);
    for (const Index u : graph_.neighbours(v)) is_there[u] = 1;
    Index* const list = graph_.adjacent.begin() + graph_.begin[v];
    Index last = 0;
    for (Index u = next_flagged(is_there, 0, graph_.n); u < graph_.n;
         u = next_flagged(is_there, u + 1, graph_.n)) {
      list[last++] = u;
    }
    graph_.degree[v] = last;
  }

  // Lists the eliminated vertices by round and number: chunks of vertices are counted, then
  // written.
  void list_by_round(int rounds, DegreeReduction& result) const {
    std::vector<std::array<Offset, most_rounds>> places(static_cast<std::size_t>(threads_));
    const auto each_gone = [&](int chunk, const auto& body) {
      const Offset n = graph_.n;
      auto next = places[static_cast<std::size_t>(chunk)];  // a copy: others are beside it
      for (Offset v = n * chunk / threads_; v < n * (chunk + 1) / threads_; ++v) {
        if (round_[v] != alive) body(v, next[static_cast<std::size_t>(round_[v])]);
      }
      return next;
    };
#pragma omp parallel for schedule(static, 1) num_threads(threads_) if (threads_ > 1)
    for (int chunk = 0; chunk < threads_; ++chunk) {
      places[chunk] = each_gone(chunk, [](Offset, Offset& count) { ++count; });
    }
    Offset total = 0;
    for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); ++round) {
      for (auto& place : places) total += std::exchange(place[round], total);
      result.round_begin.push_back(total);
    }
    result.order.resize(static_cast<std::size_t>(total));
    result.later = Buffer<std::array<Index, 2>>(total);
#pragma omp parallel for schedule(static, 1) num_threads(threads_) if (threads_ > 1)
    for (int chunk = 0; chunk < threads_; ++chunk) {
      each_gone(chunk, [&](Offset v, Offset& next) {
        result.order[next] = static_cast<Index>(v);
        const auto list = graph_.neighbours(static_cast<Index>(v));
        result.later[next++] = {list.empty() ? -1 : list[0], list.size() < 2 ? -1 : list[1]};
      });
    }
  }

  OrderingCost cost(const std::vector<Index>& order, int rounds) const {
    Offset below = 0, squares = 0;
#pragma omp parallel for num_threads(threads_) if (threads_ > 1) reduction(+ : below, squares)
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Offset degree = graph_.degree[order[k]];
      below += degree;
      squares += degree * degree;
    }
    OrderingCost sum;
    sum.columns = static_cast<Index>(order.size());
    sum.largest_column = low + 1;
    sum.nnz_l = static_cast<double>(below) + static_cast<double>(order.size());
    sum.flops = static_cast<double>(below + 2 * squares);
    sum.path = {10.0 * rounds, rounds, rounds * rates_.column_s(low)};
    return sum;
  }

  void keep(DegreeReduction& result) {
    const Index n = graph_.n;
    Buffer<Index> number(n);
#pragma omp parallel for num_threads(threads_) if (threads_ > 1)
    for (Index v = 0; v < n; ++v) number[v] = round_[v] == alive ? 1 : 0;
    const Index kept = exclusive_scan({number.begin(), static_cast<std::size_t>(n)}, threads_);
    result.kept = Buffer<Index>(kept);
    result.graph.n = kept;
    result.graph.begin = Buffer<Offset>(kept);
    result.graph.degree = Buffer<Index>(kept);
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
    each_vertex(n, threads_, [&](Index v) {
      if (round_[v] != alive) return false;
      const Index k = number[v];
      result.kept[k] = v;
      result.graph.begin[k] = graph_.begin[v];
      result.graph.degree[k] = graph_.degree[v];
      for (Offset p = graph_.begin[v]; p < graph_.end(v); ++p) {
        graph_.adjacent[p] = number[graph_.adjacent[p]];
      }
      return true;
    });
    result.graph.adjacent = std::move(graph_.adjacent);
  }

  const Graph& given_;
  Graph graph_;  // without the vertices eliminated so far
  const ColumnPathRates& rates_;
  int threads_;
  Buffer<char> round_;      // in which the vertex was eliminated, or `alive`
  Buffer<char> candidate_;  // 1: of low degree and not eliminated
  Buffer<char> touched_;    // 1: a neighbour was eliminated this round
  Offset candidates_ = 0;
};

}  // namespace

DegreeReduction reduce_degrees(const Graph& graph, int threads, const ColumnPathRates& rates) {
  return Elimination(graph, threads_for(graph.n, parallel_from, threads), rates).run();
}

Buffer<Index> parts_of_low_degrees(const DegreeReduction& low, const Buffer<Index>& part_of,
                                   Index parts, int threads) {
  const auto gone = static_cast<Offset>(low.order.size());
  const Offset n = gone + low.kept.size();
  Buffer<Index> home(n), result(gone);  // home: by vertex
  // The later neighbours of a vertex were eliminated in later rounds or are kept, and its
  // elimination makes them adjacent: they belong to at most one part.
  const auto find_home = [&](Offset k) {
    Index part = -1;
    for (const Index u : low.later[k]) {
      if (u >= 0) part = std::max(part, home[u]);
    }
    const Index v = low.order[k];
    if (part < 0) part = static_cast<Index>(Offset{v} * parts / n);
    home[v] = result[k] = part;
  };
  const int team = threads_for(n, 4 * parallel_from, threads);
#pragma omp parallel for num_threads(team) if (team > 1)
  for (Offset k = 0; k < low.kept.size(); ++k) home[low.kept[k]] = part_of[k];
  // Most rounds have few vertices, in which threads would wait for one another longer than they
  // work.
  for (std::size_t round = low.round_begin.size() - 1; round-- > 0;) {
    const Offset begin = low.round_begin[round], end = low.round_begin[round + 1];
    [[maybe_unused]] const int crew = threads_for(end - begin, 2 * parallel_from, threads);
#pragma omp parallel for num_threads(crew) if (crew > 1)
    for (Offset k = begin; k < end; ++k) find_home(k);
  }
  return result;
}

}  // namespace lufact::nd
