// SPDX-License-Identifier: BSD-3-Clause
// Undirected graphs of nested dissection. What is computed here and in the files beside it is the
// same for every number of threads.
#pragma once
#include <algorithm>
#include <span>

#include "core/base/buffer.hpp"
#include "core/base/random.hpp"
#include "core/base/types.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact::nd {

// A loop over all vertices takes several threads from this number of vertices on.
inline constexpr Offset parallel_from = 4096;

// Number of vertices, of `count`, that a thread takes at a time: about eight turns for each thread,
// which evens out lists of different lengths, and flags of 64 vertices to a cache line.
constexpr int turn_size(Offset count, int threads) noexcept {
  return static_cast<int>(std::clamp<Offset>(count / (8 * Offset{threads}), 64, 2048) / 64 * 64);
}

// Weights stay below 2^28, so that sums over a vertex's edges fit in 64 bits whatever the degree.
inline constexpr Offset largest_weight = Offset{1} << 28;
constexpr Index saturated(Offset weight) noexcept {
  return static_cast<Index>(weight < largest_weight ? weight : largest_weight);
}

// No loops, no repeated edges, every edge in both lists. The neighbours of v stand at
// [begin[v], begin[v] + degree[v]) of `adjacent`; between lists there may be gaps. Empty weights
// are all 1.
struct Graph {
  Index n = 0;
  Buffer<Offset> begin;
  Buffer<Index> degree;
  Buffer<Index> adjacent{}, edge_weight{};
  Buffer<Index> weight{};

  Offset end(Index v) const noexcept { return begin[v] + degree[v]; }
  std::span<const Index> neighbours(Index v) const noexcept {
    return {adjacent.begin() + begin[v], static_cast<std::size_t>(degree[v])};
  }
  Index weight_of(Index v) const noexcept { return weight.empty() ? 1 : weight[v]; }
  Index edge_weight_of(Offset p) const noexcept { return edge_weight.empty() ? 1 : edge_weight[p]; }
};

// Sums over all vertices.
Offset total_degree(const Graph& graph, int threads);
Offset total_weight(const Graph& graph, int threads);
Index largest_degree(const Graph& graph, int threads);  // 0 without vertices

// The number of threads that pays off for a few passes over all vertices and edges: coarse graphs
// have few vertices, but many edges each.
int team_for(const Graph& graph, int threads);

// values[k] becomes the sum of all values before it; returns the sum of all.
Offset exclusive_scan(std::span<Offset> values, int threads);
Index exclusive_scan(std::span<Index> values, int threads);

// The graph of A + A', the diagonal left out. `a` is square with ascending columns; lists ascend.
// A structurally symmetric A is recognized without forming its transpose: for random vectors x, y
// modulo 2^64, x'Ay = y'Ax (Freivalds, "Probabilistic machines can use less running time", IFIP
// 1977); an unsymmetric one passes with a probability of about 2^-63. Throws std::bad_alloc.
Graph graph_of(const PatternView& a, int threads);
// The same where A is known to be structurally symmetric.
Graph graph_of_symmetric(const PatternView& a, int threads);

Graph copy_of(const Graph& graph, int threads);

// The hash by which ties are broken.
constexpr std::uint32_t hash32(std::uint64_t key) noexcept {
  return static_cast<std::uint32_t>(mix64(key) >> 32);
}

}  // namespace lufact::nd
