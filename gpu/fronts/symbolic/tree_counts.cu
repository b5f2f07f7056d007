// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/components/grid_scan.cuh"
#include "gpu/components/warp_sum.cuh"
#include "gpu/forest/elimination_forest.cuh"
#include "gpu/forest/panel_slots.cuh"
#include "gpu/fronts/symbolic/tree_counts.hpp"

namespace lufact::gpu {
namespace {

// In shared memory.
struct CountStorage {
  GridScanStorage<Offset> weights;
  GridScanStorage<Index> sets;
};

// Column j of the factor has an entry for every row whose subtree (Liu 1990, section 5) j is in.
// The leaves of a row's subtree weigh 1, the least common ancestor of two that follow each other
// -1: the weights of a row below j add up to 1 where j is in its subtree, or above the row; so do
// all weights below j to the rows of column j and the descendants of j.
class ColumnCounter {
 public:
  __device__ ColumnCounter(const PatternRef& matrix, const ForestBuilder& builder,
                           const ForestArrays& forest, const EdgeLists& edges,
                           const CountArrays& arrays, CountStorage& shared)
      : builder_(builder),
        parent_(forest.parent),
        edges_(edges),
        arrays_(arrays),
        shared_(shared),
        n_(matrix.n) {}

  // Fills counts, supernodes and facts. Ends without a barrier.
  __device__ void run(const Grid& grid) const {
    find_first_descendants(grid);
    builder_.build_jumps(grid);
    weigh_edges(grid);
    grid.sync();
    add_up_weights(grid);
    grid.sync();
    write_counts(grid);
    grid.sync();
    find_tops(grid);
    grid.sync();
    renumber_supernodes(grid);
    grid.sync();
    write_sets(grid);
  }

 private:
  using Descendant = cuda::atomic_ref<Index, cuda::thread_scope_device>;

  __device__ Descendant descendant(Index v) const {
    return Descendant(arrays_.first_descendant[v]);
  }
  __device__ Index load_descendant(Index v) const {
    return descendant(v).load(cuda::memory_order_relaxed);
  }

  // Goes to first children, then at least twice as far in each round. Ends with a barrier.
  __device__ void find_first_descendants(const Grid& grid) const {
    if (grid.rank() == 0) {
      arrays_.moving[0] = 0;
      *arrays_.facts = {};
    }
    grid.for_each(n_, [&](Offset v) {
      arrays_.first_descendant[v] = static_cast<Index>(v);
      arrays_.weight[v] = 0;
    });
    grid.sync();
    grid.for_each(n_, [&](Offset v) {
      const Index p = parent_[v], child = static_cast<Index>(v);
      if (p == n_ || load_descendant(p) <= child) return;
      descendant(p).fetch_min(child, cuda::memory_order_relaxed);
    });
    grid.sync();
    constexpr int counters = CountArrays::counters;
    Index* const moving = arrays_.moving;
    for (int round = 0;; ++round) {
      if (grid.rank() == 0) moving[(round + 1) % counters] = 0;  // no thread reads it now
      const bool moves = move_descendants(grid);
      if (__syncthreads_or(moves) && threadIdx.x == 0) atomicAdd(&moving[round % counters], 1);
      grid.sync();
      if (moving[round % counters] == 0) return;
    }
  }

  // A value read may be newer than the round; it is a descendant all the same.
  __device__ bool move_descendants(const Grid& grid) const {
    bool moves = false;
    grid.for_each(n_, [&](Offset v) {
      const Index now = load_descendant(static_cast<Index>(v)), next = load_descendant(now);
      if (next == now) return;
      descendant(static_cast<Index>(v)).store(next, cuda::memory_order_relaxed);
      moves = true;
    });
    return moves;
  }

  // Goes through the neighbours of a row in ascending order. One is a leaf where the neighbour
  // before it is not its descendant. The path of that neighbour, leaf or not, meets the leaf's path
  // where the path of the leaf before does.
  __device__ void weigh_edges(const Grid& grid) const {
    grid.for_each(edges_.count, [&](Offset k) {
      Edge edge;
      if (!load_edge(edges_, k, edge)) return;
      if (is_first(k, edge.high)) atomicAdd(&arrays_.weight[edge.low], 1);
      if (edge.next == edge.high || edge.low >= arrays_.first_descendant[edge.next]) return;
      atomicAdd(&arrays_.weight[edge.next], 1);
      atomicAdd(&arrays_.weight[builder_.ancestor_from(edge.low, edge.next)], -1);
    });
  }

  // Whether edge k is the first of vertex `high`.
  __device__ bool is_first(Offset k, Index high) const {
    if (edges_.keys == nullptr) return k == edges_.matrix.row_ptr[high];
    return k == 0 || static_cast<Index>(edges_.keys[k - 1] >> edges_.bits) != high;
  }

  // A column without descendants is the one leaf of its own row's subtree.
  __device__ void add_up_weights(const Grid& grid) const {
    if (grid.rank() == 0) arrays_.weights_before[0] = 0;
    grid_scan(
        grid, shared_.weights, arrays_.partial, n_, Offset{0}, Plus{},
        [&](Offset j) { return Offset{arrays_.weight[j] + (arrays_.first_descendant[j] == j)}; },
        [&](Offset j, Offset sum) { arrays_.weights_before[j + 1] = sum; });
  }

  // Rows of the descendants, except row j, end below j.
  __device__ void write_counts(const Grid& grid) const {
    Offset entries = 0;
    grid.for_each(n_, [&](Offset j) {
      const Index first = arrays_.first_descendant[j];
      const Offset weight = arrays_.weights_before[j + 1] - arrays_.weights_before[first];
      arrays_.count[j] = static_cast<Index>(weight - (j - first));
      entries += arrays_.count[j];
    });
    add_from_warp(arrays_.facts->entries, entries);
  }

  __device__ bool is_nested(Index j) const {
    return j > 0 && parent_[j - 1] == j && arrays_.count[j - 1] == arrays_.count[j] + 1;
  }

  __device__ bool is_small(Index top) const {
    return top - arrays_.first_descendant[top] < always_amalgamated;
  }

  // The last column of the columns nested with j, or one whose subtree is no small one.
  __device__ Index last_nested(Index j) const {
    while (is_small(j) && j < n_ - 1 && is_nested(j + 1)) ++j;
    return j;
  }

  // Finds for each column the topmost column of the small subtree that it is in, or -1. A subtree
  // counts as small only together with the columns nested with its root.
  __device__ void find_tops(const Grid& grid) const {
    Index* const top = arrays_.weight;
    grid.for_each(n_, [&](Offset j) {
      Index highest = -1;
      for (Index at = last_nested(static_cast<Index>(j)); is_small(at);) {
        highest = at;
        if (parent_[at] == n_) break;
        at = last_nested(parent_[at]);
      }
      top[j] = highest;
    });
  }

  __device__ bool starts_set(Offset j) const {
    const Index top = arrays_.weight[j];
    return top < 0 ? !is_nested(static_cast<Index>(j)) : arrays_.first_descendant[top] == j;
  }

  __device__ void renumber_supernodes(const Grid& grid) const {
    grid_scan(
        grid, shared_.sets, arrays_.partial_sets, n_, Index{0}, Plus{},
        [&](Offset j) { return Index{starts_set(j)}; },
        [&](Offset j, Index sets) {
          arrays_.set_of[j] = sets - 1;
          if (starts_set(j)) arrays_.set[sets - 1].first = static_cast<Index>(j);
          if (j == n_ - 1) arrays_.facts->sets = sets;
        });
  }

  // By the last column of each.
  __device__ void write_sets(const Grid& grid) const {
    grid.for_each(n_, [&](Offset j) {
      const Index s = arrays_.set_of[j];
      if (j < n_ - 1 && arrays_.set_of[j + 1] == s) return;
      ColumnSet& set = arrays_.set[s];
      const auto pivots = static_cast<Index>(j) + 1 - set.first;
      set.parent = parent_[j] == n_ ? -1 : arrays_.set_of[parent_[j]];
      set.order = pivots + arrays_.count[j] - 1;
      set.subtree = s + 1 - arrays_.set_of[arrays_.first_descendant[j]];
      set.zeros = arrays_.weight[j] < 0 ? 0 : count_zeros(set, pivots);
    });
  }

  // In the supernode a column stores an entry for each later pivot and each row, in L and in U.
  __device__ double count_zeros(const ColumnSet& set, Index pivots) const {
    Offset zeros = 0;
    for (Index k = 0; k < pivots; ++k) {
      zeros += 2 * Offset{set.order - k - arrays_.count[set.first + k]};
    }
    return static_cast<double>(zeros);
  }

  const ForestBuilder& builder_;
  const Index* parent_;
  const EdgeLists& edges_;
  const CountArrays& arrays_;
  CountStorage& shared_;
  Index n_;
};

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    count_columns_kernel(const __grid_constant__ PatternRef matrix, Offset nnz,
                         const __grid_constant__ ForestArrays forest,
                         const __grid_constant__ EdgeLists edges,
                         const __grid_constant__ CountArrays arrays) {
  __shared__ CountStorage shared;
  const Grid grid;
  const ForestBuilder builder(matrix, nnz, forest);
  ColumnCounter(matrix, builder, forest, edges, arrays, shared).run(grid);
}

}  // namespace

void CountArrays::lay_out_work(Carver& carver, Index n, Offset blocks) {
  first_descendant = carver.take<Index>(n);
  weight = carver.take<Index>(n);
  weights_before = carver.take<Offset>(n + Offset{1});
  count = carver.take<Index>(n);
  partial = carver.take<Offset>(blocks);
  partial_sets = carver.take<Index>(blocks);
}

void CountArrays::lay_out_results(Carver& carver, Index n) {
  set_of = carver.take<Index>(n);
  set = carver.take<ColumnSet>(n);
  facts = carver.take<CountFacts>(1);
  moving = carver.take<Index>(counters);
}

CountFacts count_columns(DeviceSession& session, const PatternRef& matrix, Offset nnz,
                         const ForestArrays& forest, const EdgeLists& edges,
                         const CountArrays& arrays) {
  launch_grid(session, std::max(edges.count, matrix.n + Offset{1}), count_columns_kernel, matrix,
              nnz, forest, edges, arrays);
  return read_value(session, arrays.facts);
}

}  // namespace lufact::gpu
