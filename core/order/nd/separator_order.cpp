// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/nd/separator_order.hpp"

#include <bit>
#include <numeric>
#include <utility>

#include "core/matrix/parallel.hpp"

namespace lufact::nd {
namespace {

// Lists in one array: that of k is [begin[k], begin[k + 1]) of items.
struct Lists {
  std::vector<Offset> begin{0};
  std::vector<Index> items;

  std::span<const Index> of(Index k) const noexcept {
    return {items.data() + begin[k], static_cast<std::size_t>(begin[k + 1] - begin[k])};
  }
};

// The problem on the separator's vertices, numbered by their place in it.
class SeparatorProblem {
 public:
  SeparatorProblem(const Graph& graph, const Parts& part, const Leaves& leaves, int threads)
      : graph_(graph), part_(part), leaves_(leaves), vertices_(leaves.separator) {
    list_elements();
    list_edges(threads);
    group();
  }

  Index variables() const noexcept { return static_cast<Index>(groups_.begin.size()) - 1; }

  void fill(QuotientGraph& q) const {
    const Index count = variables();
    const auto elements = static_cast<Index>(leaves_.path.size());
    q.reset(count, 0, elements,
            static_cast<Offset>(edges_.items.size() + 2 * leaves_.covered.size()));
    Index end = 0;
    for (Index i = 0; i < count; ++i) {
      const Index s = groups_.of(i).front();
      for (const Index member : groups_.of(i)) {
        q.weight[i] += graph_.weight_of(vertices_[member]);
      }
      q.begin[i] = end;
      for (const Index e : elements_.of(s)) q.list[end++] = count + e;
      q.elements[i] = end - q.begin[i];
      for (const Index other : edges_.of(s)) {
        if (stands_for_others(other) && group_of_[other] != i) q.list[end++] = group_of_[other];
      }
      q.length[i] = end - q.begin[i];
    }
    for (Index e = 0; e < elements; ++e) {
      q.begin[count + e] = end;
      for (Offset p = leaves_.begin[e]; p < leaves_.begin[e + 1]; ++p) {
        const Index s = leaves_.covered[p];
        if (stands_for_others(s)) q.list[end++] = group_of_[s];
      }
      q.length[count + e] = end - q.begin[count + e];
      q.path[count + e] = leaves_.path[e];
    }
  }

  // Vertices in the order of the variables.
  std::vector<Index> expanded(const std::vector<Index>& order) const {
    std::vector<Index> result;
    result.reserve(vertices_.size());
    for (const Index i : order) {
      for (const Index s : groups_.of(i)) result.push_back(vertices_[s]);
    }
    return result;
  }

  // Variables by the height in the tree of bisections at which the parts around them split, lowest
  // first, then by the place of that split in the tree.
  std::vector<Index> level_order() const {
    std::vector<std::pair<Offset, Index>> keys;
    keys.reserve(static_cast<std::size_t>(variables()));
    for (Index i = 0; i < variables(); ++i) {
      keys.emplace_back(level_key_[groups_.of(i).front()], i);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<Index> order;
    order.reserve(keys.size());
    for (const auto& [key, i] : keys) order.push_back(i);
    return order;
  }

 private:
  bool stands_for_others(Index s) const noexcept {
    return groups_.items[groups_.begin[group_of_[s]]] == s;
  }

  void list_elements() {
    elements_.begin.assign(vertices_.size() + 1, 0);
    for (const Index s : leaves_.covered) ++elements_.begin[s + 1];
    std::partial_sum(elements_.begin.begin(), elements_.begin.end(), elements_.begin.begin());
    elements_.items.resize(leaves_.covered.size());
    std::vector<Offset> next(elements_.begin.begin(), elements_.begin.end() - 1);
    for (std::size_t e = 0; e < leaves_.path.size(); ++e) {
      for (Offset p = leaves_.begin[e]; p < leaves_.begin[e + 1]; ++p) {
        elements_.items[next[leaves_.covered[p]]++] = static_cast<Index>(e);
      }
    }
  }

  // Lists the edges inside the separator that no element covers, chunk by chunk of vertices, then
  // joins the chunks' lists. Computes each vertex's hash and level key on the way.
  void list_edges(int threads) {
    constexpr Offset worthwhile_vertices = 512;
    const auto n = static_cast<Offset>(vertices_.size());
    const int chunks = threads_for(n, worthwhile_vertices, threads);
    std::vector<std::vector<Index>> found(static_cast<std::size_t>(chunks));
    edges_.begin.assign(vertices_.size() + 1, 0);
    hash_.resize(vertices_.size());
    level_key_.resize(vertices_.size());
    parallel_for(chunks, chunks, [&](Offset chunk) {
      std::vector<Index>& items = found[static_cast<std::size_t>(chunk)];
      std::vector<Index> covered_by(leaves_.path.size(), -1);
      for (Offset s = n * chunk / chunks; s < n * (chunk + 1) / chunks; ++s) {
        const std::size_t before = items.size();
        add_edges(static_cast<Index>(s), covered_by, items);
        edges_.begin[s + 1] = static_cast<Offset>(items.size() - before);
        hash_[s] = hash_of(static_cast<Index>(s), {items.begin() + before, items.end()});
        level_key_[s] = level_key(vertices_[s]);
      }
    });
    std::partial_sum(edges_.begin.begin(), edges_.begin.end(), edges_.begin.begin());
    edges_.items.reserve(static_cast<std::size_t>(edges_.begin.back()));
    for (const std::vector<Index>& items : found) {
      edges_.items.insert(edges_.items.end(), items.begin(), items.end());
    }
  }
  // `covered_by` holds vertices other than s.
  void add_edges(Index s, std::vector<Index>& covered_by, std::vector<Index>& items) const {
    for (const Index e : elements_.of(s)) covered_by[e] = s;
    for (const Index u : graph_.neighbours(vertices_[s])) {
      const Index code = leaves_.places.code(u);
      if (code >= 0 || code == Places::nothing) continue;
      const auto common = elements_.of(~code);
      const bool covered =
          std::any_of(common.begin(), common.end(), [&](Index e) { return covered_by[e] == s; });
      if (!covered) items.push_back(~code);
    }
  }
  std::uint64_t hash_of(Index s, std::span<const Index> edges) const noexcept {
    // A vertex with neither elements nor edges is a variable of its own.
    const bool alone = elements_.of(s).empty() && edges.empty();
    std::uint64_t hash = alone ? hash64(3, static_cast<std::uint64_t>(s)) : 0;
    for (const Index e : elements_.of(s)) hash += hash64(1, static_cast<std::uint64_t>(e));
    for (const Index u : edges) hash += hash64(2, static_cast<std::uint64_t>(u));
    return hash;
  }

  // Vertices whose elements and edges have the same hash are one variable.
  void group() {
    const std::size_t count = vertices_.size();
    group_of_.resize(count);
    std::vector<Index> first(std::bit_ceil(2 * count + 1), -1);  // of each group, by hash
    std::vector<Index> sizes;
    for (std::size_t s = 0; s < count; ++s) {
      std::size_t slot = hash_[s] & (first.size() - 1);
      while (first[slot] >= 0 && hash_[first[slot]] != hash_[s]) {
        slot = (slot + 1) & (first.size() - 1);
      }
      if (first[slot] < 0) {
        first[slot] = static_cast<Index>(s);
        group_of_[s] = static_cast<Index>(sizes.size());
        sizes.push_back(0);
      } else {
        group_of_[s] = group_of_[first[slot]];
      }
      ++sizes[group_of_[s]];
    }
    for (const Index size : sizes) groups_.begin.push_back(groups_.begin.back() + size);
    groups_.items.resize(vertices_.size());
    std::vector<Offset> next(groups_.begin.begin(), groups_.begin.end() - 1);
    for (Index s = 0; s < static_cast<Index>(vertices_.size()); ++s) {
      groups_.items[next[group_of_[s]]++] = s;
    }
  }

  Offset level_key(Index v) const noexcept {
    Index low = part_[v], high = part_[v];
    for (const Index u : graph_.neighbours(v)) {
      if (part_[u] < 0) continue;
      low = low < 0 ? part_[u] : std::min(low, part_[u]);
      high = std::max(high, part_[u]);
    }
    if (high < 0) return Offset{64} << 32;  // hubs among hubs: last
    const int height = std::bit_width(static_cast<std::uint32_t>(low ^ high));
    return (Offset{height} << 32) + (low >> height);
  }

  const Graph& graph_;
  const Parts& part_;
  const Leaves& leaves_;
  const std::vector<Index>& vertices_;  // of the graph
  Lists elements_, edges_;              // of each vertex
  Lists groups_;                        // vertices of each variable
  std::vector<std::uint64_t> hash_;     // of each vertex's elements and edges
  std::vector<Offset> level_key_;       // of each vertex
  std::vector<Index> group_of_;
};

SeparatorOrder eliminate(const SeparatorProblem& problem, std::span<const Index> given_order,
                         const ColumnPathRates& rates) {
  MinimumDegree degree(rates);
  problem.fill(degree.graph());
  degree.run(given_order);
  std::vector<Index> order(static_cast<std::size_t>(problem.variables()));
  degree.write_order(order);
  return {problem.expanded(order), degree.cost()};
}

}  // namespace

SeparatorOrders order_separator(const Graph& graph, const Parts& part, const Leaves& leaves,
                                int threads, const ColumnPathRates& rates) {
  const SeparatorProblem problem(graph, part, leaves, threads);
  SeparatorOrders orders;
  if (problem.variables() == 0) return orders;
  // A team of two threads would make OpenMP end its other threads, which the next region would have
  // to start again.
  parallel_for(2, threads, [&](Offset k) {
    if (k == 0) orders.by_degree = eliminate(problem, {}, rates);
    if (k == 1) orders.by_level = eliminate(problem, problem.level_order(), rates);
  });
  return orders;
}

}  // namespace lufact::nd
