// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "gpu/components/thread_each.cuh"
#include "gpu/forest/forest_edges.hpp"
#include "gpu/forest/subtree_intervals.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

// One thread a vertex.
__global__ void write_places(Index n, const Index* first, const Index* size, Index* place_of,
                             Index* vertex_at) {
  const Offset v = own_thread();
  if (v >= n) return;
  const Index place = first[v] + size[v] - 1;
  place_of[v] = place;
  vertex_at[place] = static_cast<Index>(v);
}

// One thread an entry. An entry that is no edge gets row n, so that it sorts behind all edges.
__global__ void write_keys(PatternRef matrix, const Index* row_of, Offset nnz,
                           const Index* place_of, int bits, std::uint64_t* keys) {
  const Offset entry = own_thread();
  if (entry >= nnz) return;
  const Index row = row_of[entry], column = matrix.col_idx[entry];
  const bool is_edge = row >= 0;
  const Index low = is_edge ? min(row, column) : 0;
  const Index high = is_edge ? max(row, column) : matrix.n;
  const Index place = place_of == nullptr ? low : place_of[low];
  keys[entry] = static_cast<std::uint64_t>(high) << bits | static_cast<std::uint64_t>(place);
}

}  // namespace

SortedEdges::SortedEdges(DeviceSession& session, const PatternRef& matrix, Offset nnz,
                         const ForestArrays& forest, const ForestFacts& facts) {
  lists_.n = matrix.n;
  lists_.count = facts.edges;
  lists_.bits = std::bit_width(static_cast<unsigned>(matrix.n));
  if (facts.crossings > 0) number_vertices(session, matrix.n, forest.parent);
  keys_ = {session, MemoryRole::scratch, nnz, "the edges of the graph of B + B'"};
  std::uint64_t* unsorted = nullptr;
  SortScratch sorting;
  sorting.bytes = sort_keys_bytes(session, nnz);
  const Buffer<std::byte> work = carve(session, "sorting edges", [&](Carver& carver) {
    unsorted = carver.take<std::uint64_t>(nnz);
    sorting.data = carver.take<std::byte>(static_cast<Offset>(sorting.bytes));
  });
  launch(session, thread_each(nnz), write_keys, matrix, forest.row_of, nnz, lists_.place_of,
         lists_.bits, unsorted);
  sort_keys(session, sorting, unsorted, keys_.data(), nnz, 2 * lists_.bits);
  lists_.keys = keys_.data();
}

void SortedEdges::number_vertices(DeviceSession& session, Index n, const Index* parent) {
  const SubtreeIntervals intervals = build_subtree_intervals(session, n, parent);
  places_ = {session, MemoryRole::scratch, Offset{2} * n, "places in the postorder"};
  Index* const place_of = places_.data();
  Index* const vertex_at = place_of + n;
  launch(session, thread_each(n), write_places, n, intervals.first.data(), intervals.size.data(),
         place_of, vertex_at);
  lists_.place_of = place_of;
  lists_.vertex_at = vertex_at;
}

EdgeLists edges_in_order(const PatternRef& matrix, Offset nnz, const ForestArrays& forest) {
  EdgeLists lists;
  lists.n = matrix.n;
  lists.count = nnz;
  lists.matrix = matrix;
  lists.row_of = forest.row_of;
  return lists;
}

}  // namespace lufact::gpu
