// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>

#include "gpu/components/grid_scan.cuh"
#include "gpu/components/pointer_doubling.cuh"
#include "gpu/components/radix_sort.hpp"
#include "gpu/components/thread_each.cuh"
#include "gpu/forest/elimination_forest.cuh"
#include "gpu/forest/panel_slots.cuh"
#include "gpu/fronts/symbolic/tree_forest.hpp"

namespace lufact::gpu {
namespace {

struct ForestCounters {
  ForestFacts facts;
  Index open[ForestArrays::counters] = {};
};

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    find_forest(const __grid_constant__ PatternRef matrix, Offset nnz,
                const __grid_constant__ ForestArrays forest, ForestCounters* counters) {
  const Grid grid;
  if (grid.rank() == 0) *counters = {};
  ForestBuilder(matrix, nnz, forest).run(grid);
}

// Work arrays for placing a forest's vertices in postorder, children and roots ascending.
struct PlaceArrays {
  Index n = 0;
  const Index* parent = nullptr;     // n: a root
  const Index* by_parent = nullptr;  // vertices by parent, ascending for each
  const Index* parent_of = nullptr;  // the parents of these
  Doubling sizes, starts;            // with the same jumps
  Index* moving = nullptr;           // counters, zeros
  Offset* sizes_before = nullptr;    // n + 1: of the vertices before each in by_parent
  Offset* partial = nullptr;         // a place for each block
  Index *place_of = nullptr, *vertex_at = nullptr;
};

__device__ void start_jumps(const Grid& grid, const PlaceArrays& arrays) {
  grid.for_each(arrays.n, [&](Offset v) { arrays.sizes.jump[v] = arrays.parent[v]; });
}

// Finds where the subtree of each vertex begins in its parent's subtree, or among all trees.
__device__ void place_siblings(const Grid& grid, GridScanStorage<Offset>& storage,
                               const PlaceArrays& arrays, const Index* size) {
  Offset* const before = arrays.sizes_before;
  if (grid.rank() == 0) before[0] = 0;
  grid_scan(
      grid, storage, arrays.partial, arrays.n, Offset{0}, Plus{},
      [&](Offset k) { return Offset{size[arrays.by_parent[k]]}; },
      [&](Offset k, Offset sum) { before[k + 1] = sum; });
  grid.sync();
  grid.for_each(arrays.n, [&](Offset k) {
    const Index eldest = lower_bound(arrays.parent_of, 0, arrays.n, arrays.parent_of[k]);
    arrays.starts.value[arrays.by_parent[k]] = static_cast<Index>(before[k] - before[eldest]);
  });
}

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    find_places(const __grid_constant__ PlaceArrays arrays) {
  __shared__ GridScanStorage<Offset> storage;
  const Grid grid;
  PointerDoubling doubling(grid, arrays.n, arrays.moving);
  grid.for_each(arrays.n,
                [&](Offset v) { arrays.sizes.value[v] = arrays.sizes.value_next[v] = 1; });
  start_jumps(grid, arrays);
  const Index* const size = doubling.sum_subtrees(arrays.sizes);
  place_siblings(grid, storage, arrays, size);
  start_jumps(grid, arrays);
  const Index* const first = doubling.sum_ancestors(arrays.starts);
  grid.for_each(arrays.n, [&](Offset v) {
    const Index place = first[v] + size[v] - 1;
    arrays.place_of[v] = place;
    arrays.vertex_at[place] = static_cast<Index>(v);
  });
}

// One thread an item, in all that follow.
__global__ void number_items(Offset count, Index* item) {
  const Offset k = own_thread();
  if (k < count) item[k] = static_cast<Index>(k);
}

__global__ void write_columns(PatternRef matrix, Offset nnz, const Index* place_of, Index* column) {
  const Offset entry = own_thread();
  if (entry < nnz) column[entry] = place_of[matrix.col_idx[entry]];
}

__global__ void write_rows(PatternRef matrix, Offset nnz, const Index* row_of,
                           const Index* place_of, const Index* by_column, Index* row) {
  const Offset k = own_thread();
  if (k >= nnz) return;
  const Index of = row_of[by_column[k]];
  row[k] = place_of[of < 0 ? ~of : of];
}

__global__ void write_pattern(PatternRef matrix, Offset nnz, const Index* place_of,
                              const Index* source, const Index* row, Offset* row_ptr,
                              Index* column) {
  const Offset k = own_thread();
  if (k < nnz) column[k] = place_of[matrix.col_idx[source[k]]];
  if (k <= matrix.n) {
    row_ptr[k] = lower_bound(row, 0, static_cast<Index>(nnz), static_cast<Index>(k));
  }
}

class Relabeller {
 public:
  Relabeller(DeviceSession& session, const PatternRef& matrix, Offset nnz,
             const ForestArrays& forest)
      : session_(session), matrix_(matrix), nnz_(nnz), forest_(forest) {}

  void place_vertices(Index* place_of, Index* vertex_at) {
    const Index n = matrix_.n;
    PlaceArrays arrays;
    Index *vertex = nullptr, *by_parent = nullptr, *parent_of = nullptr;
    SortScratch sorting;
    sorting.bytes = sort_pairs_bytes(session_, n);
    const Buffer<std::byte> work = carve(session_, "the postorder of B + B'", [&](Carver& carver) {
      vertex = carver.take<Index>(n);
      by_parent = carver.take<Index>(n);
      parent_of = carver.take<Index>(n);
      sorting.data = carver.take<std::byte>(static_cast<Offset>(sorting.bytes));
      for (Index** array :
           {&arrays.sizes.value, &arrays.sizes.value_next, &arrays.sizes.jump,
            &arrays.sizes.jump_next, &arrays.starts.value, &arrays.starts.value_next}) {
        *array = carver.take<Index>(n);
      }
      arrays.sizes_before = carver.take<Offset>(n + Offset{1});
      arrays.partial = carver.take<Offset>(most_grid_blocks(session_));
      arrays.moving = carver.take<Index>(PointerDoubling::counters);
    });
    arrays.n = n;
    arrays.parent = forest_.parent;
    arrays.by_parent = by_parent;
    arrays.parent_of = parent_of;
    arrays.starts.jump = arrays.sizes.jump;
    arrays.starts.jump_next = arrays.sizes.jump_next;
    arrays.place_of = place_of;
    arrays.vertex_at = vertex_at;
    launch(session_, thread_each(n), number_items, Offset{n}, vertex);
    sort_pairs(session_, sorting, forest_.parent, parent_of, vertex, by_parent, n, bits());
    LUFACT_CUDA(cudaMemsetAsync(arrays.moving, 0, PointerDoubling::counters * sizeof(Index),
                                session_.stream()));
    launch_grid(session_, n, find_places, arrays);
  }

  // Sorts entries by row, and by column in each row, by two stable sorts.
  void move_rows(const Index* place_of, Offset* row_ptr, Index* column, Index* source) {
    Index *key = nullptr, *sorted = nullptr, *entry = nullptr, *by_column = nullptr;
    SortScratch sorting;
    sorting.bytes = sort_pairs_bytes(session_, nnz_);
    const Buffer<std::byte> work = carve(session_, "B in postorder", [&](Carver& carver) {
      key = carver.take<Index>(nnz_);
      sorted = carver.take<Index>(nnz_);
      entry = carver.take<Index>(nnz_);
      by_column = carver.take<Index>(nnz_);
      sorting.data = carver.take<std::byte>(static_cast<Offset>(sorting.bytes));
    });
    launch(session_, thread_each(nnz_), number_items, nnz_, entry);
    launch(session_, thread_each(nnz_), write_columns, matrix_, nnz_, place_of, key);
    sort_pairs(session_, sorting, key, sorted, entry, by_column, nnz_, bits());
    launch(session_, thread_each(nnz_), write_rows, matrix_, nnz_, forest_.row_of, place_of,
           by_column, key);
    sort_pairs(session_, sorting, key, sorted, by_column, source, nnz_, bits());
    launch(session_, thread_each(std::max(nnz_, matrix_.n + Offset{1})), write_pattern, matrix_,
           nnz_, place_of, source, sorted, row_ptr, column);
  }

 private:
  int bits() const { return std::bit_width(static_cast<unsigned>(matrix_.n)); }

  DeviceSession& session_;
  const PatternRef& matrix_;
  Offset nnz_;
  const ForestArrays& forest_;
};

}  // namespace

PostorderedForest::PostorderedForest(DeviceSession& session, const DevicePermutedMatrix& b)
    : pattern_(b.pattern()), nnz_(b.nnz) {
  build(session);
  if (facts_.crossings == 0) return;
  relabel(session);
  build(session);
}

void PostorderedForest::build(DeviceSession& session) {
  constexpr Offset least_pending = 1 << 16;
  const Offset vertices = pattern_.n + Offset{1};
  ForestCounters* counters = nullptr;
  forest_block_ = {};
  forest_block_ = carve(session, "the elimination forest of B + B'", [&](Carver& carver) {
    arrays_.parent = carver.take<Index>(vertices);
    arrays_.row_of = carver.take<Index>(nnz_);
    arrays_.jumps = carver.take<Jumps>(vertices);
    counters = carver.take<ForestCounters>(1);
    if (counters == nullptr) return;
    arrays_.facts = &counters->facts;
    arrays_.open = counters->open;
  });
  arrays_.most_pending = std::min(nnz_, std::max(vertices, least_pending));
  const Buffer<std::byte> work =
      carve(session, "edges of the elimination forest",
            [&](Carver& carver) { arrays_.pending = carver.take<EdgePair>(arrays_.most_pending); });
  launch_grid(session, std::max(nnz_, vertices), find_forest, pattern_, nnz_, arrays_, counters);
  facts_ = read_value(session, arrays_.facts);
  arrays_.pending = nullptr;
}

void PostorderedForest::relabel(DeviceSession& session) {
  const Index n = pattern_.n;
  Offset* row_ptr = nullptr;
  Index* column = nullptr;
  moved_block_ = carve(session, "B with labels in postorder", [&](Carver& carver) {
    label_ = carver.take<Index>(n);
    row_ptr = carver.take<Offset>(n + Offset{1});
    column = carver.take<Index>(nnz_);
    source_ = carver.take<Index>(nnz_);
  });
  Buffer<Index> place_of(session, MemoryRole::scratch, n, "places in the postorder");
  Relabeller relabeller(session, pattern_, nnz_, arrays_);
  relabeller.place_vertices(place_of.data(), label_);
  relabeller.move_rows(place_of.data(), row_ptr, column, source_);
  pattern_ = {n, row_ptr, column};
}

}  // namespace lufact::gpu
