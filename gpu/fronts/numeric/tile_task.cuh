// SPDX-License-Identifier: BSD-3-Clause
// One tile by one block, left-looking. The tile is assembled; the products of the tiles left of it
// and above it are subtracted; then it is eliminated, divided by a factor of a diagonal tile,
// or stored as contribution. A small front is a tile without tiles left of it or above it. Where
// one block has the chain of all tiles on the diagonal, these and the tiles beside them go to it.
#pragma once
#include "core/fronts/plan/diagonal_tiles.hpp"
#include "gpu/fronts/numeric/matrix_tile.cuh"
#include "gpu/fronts/numeric/panel_products.cuh"
#include "gpu/fronts/numeric/plain_tile.cuh"
#include "gpu/fronts/numeric/product_way.hpp"
#include "gpu/fronts/numeric/ring_products.cuh"
#include "gpu/fronts/numeric/small_front.cuh"
#include "gpu/fronts/numeric/store_tiles.cuh"

namespace lufact::gpu {

template <class T, Pivoting pivoting, ProductWay way, class Tiles = AssembledTiles,
          class Watch = NoWatch>
class TileTask {
 public:
  __device__ TileTask(const FrontProblem<T>& problem, const TaskRecord& record,
                      TileMemory<T>& memory, PanelBarriers& barriers, BlocksAtHand<T>& at_hand,
                      TicketQueue& queue, Tiles tiles = {}, Watch watch = {})
      : TileTask(problem, problem.rule, record, memory, barriers, at_hand, queue, tiles, watch) {}
  // With a rule that is not the problem's own.
  __device__ TileTask(const FrontProblem<T>& problem, const PivotRule<T>& rule,
                      const TaskRecord& record, TileMemory<T>& memory, PanelBarriers& barriers,
                      BlocksAtHand<T>& at_hand, TicketQueue& queue, Tiles tiles = {},
                      Watch watch = {})
      : problem_(problem),
        rule_(rule),
        tiles_(tiles),
        watch_(watch),
        task_(record.task),
        shape_(record.shape),
        memory_(memory),
        barriers_(barriers),
        at_hand_(at_hand),
        queue_(queue),
        tile_{memory.entry, record.task.kind == TaskKind::upper ? tile_leading : 1,
              record.task.kind == TaskKind::upper ? 1 : tile_leading} {}

  __device__ void run() {
    if constexpr (!is_dense) {
      Assembly<T, BlockGroup>(problem_, task_, shape_, tile_, at_hand_).run();
      if (task_.kind == TaskKind::lent_diagonal) {
        clear_diagonal<BlockGroup>(problem_, shape_, task_.tile_row);
      }
      watch_.done(BlockWork::assembly);
    }
    Index steps = min(min(task_.tile_row, task_.tile_column), shape_.pivot_tiles);
    if (is_chained && task_.kind == TaskKind::diagonal) --steps;  // the chain takes the last one
    Fragment<T> entries;
    if constexpr (is_dense) {
      matrix_tile().load(entries);
    } else {
      for_tile_entries(entries, [](const T& entry, T& value) { value = entry; });
    }
    if (steps > 0) subtract_products(entries, steps);
    watch_.done(BlockWork::products);
    if constexpr (is_chained) {
      finish_beside_chain(entries);
    } else {
      finish(entries);
    }
  }

 private:
  using Rows = TileRows<T, BlockGroup, pivoting>;
  static constexpr bool is_dense = !std::is_same_v<Tiles, AssembledTiles>;
  static constexpr bool is_chained = has_chain<T, Tiles>;

  __device__ MatrixTile<T> matrix_tile() const {
    return {tiles_, shape_, task_.tile_row, task_.tile_column};
  }

  // Calls body(entry of the tile in shared memory, entry of the fragment) for each. One branch
  // instead of an address for every entry.
  template <class Body>
  __device__ void for_tile_entries(Fragment<T>& fragment, const Body& body) {
    const int row = BlockGroup::first_row(), column = BlockGroup::first_column();
    if (task_.kind == TaskKind::upper) {
      T* const from = memory_.entry + row * tile_leading + column;
      fragment.for_each([&](int i, int j, T& value) { body(from[i * tile_leading + j], value); });
    } else {
      T* const from = memory_.entry + column * tile_leading + row;
      fragment.for_each([&](int i, int j, T& value) { body(from[j * tile_leading + i], value); });
    }
  }

  // Of a tile by its number.
  __device__ unsigned* flag_of(Index number) const {
    return problem_.sync.flag + shape_.flags + number;
  }
  __device__ Index panels_per_tile() const { return shape_.pivot_width / product_depth; }
  __device__ StoredTile<const T> lower(Index i, Index k) const {
    return lower_stored<const T>(problem_.factors, shape_, i, k);
  }
  __device__ StoredTile<const T> upper(Index k, Index i) const {
    return upper_stored<const T>(problem_.factors, shape_, k, i);
  }

  // entries -= sum over the first `steps` pivot tiles of L(i, k) U(k, j). The tile's place is free
  // on return.
  __device__ void subtract_products(Fragment<T>& entries, Index steps) {
    const TaskFactors<T> factors(problem_, task_, shape_);
    entries.for_each([](int, int, T& value) { value = -value; });
    if constexpr (way == ProductWay::ring && has_ring<T>) {
      if (pays_ring(steps)) {
        RingProducts(factors, memory_, barriers_, steps, watch_).add(entries);
      } else {
        PanelProducts<T, Watch>(factors, memory_, watch_).add(entries, steps);
      }
    } else {
      PanelProducts<T, Watch>(factors, memory_, watch_).add(entries, steps);
    }
    entries.for_each([](int, int, T& value) { value = -value; });
  }

  __device__ void finish(Fragment<T>& entries) {
    switch (task_.kind) {
      case TaskKind::block_front:
      case TaskKind::diagonal:
      case TaskKind::lent_diagonal:
        return eliminate(entries);
      case TaskKind::contribution:
        return contribute(entries);
      default:
        return divide_by_diagonal(entries);
    }
  }

  __device__ void finish_beside_chain(Fragment<T>& entries) {
    if (task_.kind == TaskKind::diagonal) return hand_to_chain(entries, ChainTile::diagonal);
    if (task_.tile_row == task_.tile_column + 1) hand_to_chain(entries, ChainTile::lower);
    if (task_.tile_column == task_.tile_row + 1) hand_to_chain(entries, ChainTile::upper);
    divide_by_diagonal(entries);
  }
  __device__ void hand_to_chain(Fragment<T>& entries, ChainTile which) const {
    const Index k = max(task_.tile_row, task_.tile_column);
    store_tile(entries, which != ChainTile::upper, tiles_.of_chain(k, which));
    count_up<BlockGroup>(chain_word(problem_.sync, shape_, k));
  }

  __device__ void eliminate(Fragment<T>& entries) {
    const bool whole = !is_dense && task_.kind == TaskKind::block_front;
    const Index k = task_.tile_row;
    const Index pivots =
        whole ? shape_.pivots : min(shape_.pivot_width, shape_.pivots - k * shape_.pivot_width);
    if constexpr (is_dense) matrix_tile().store(entries);
    __syncthreads();
    Rows rows;
    TileElimination<T, BlockGroup, Rows>(entries, memory_.panels, rows, rule_, problem_.counters)
        .run(pivots);
    watch_.done(BlockWork::elimination);
    if (whole) {
      store_contribution<T, BlockGroup>(problem_, shape_, entries);
      count_up<BlockGroup>(problem_.sync.done + task_.front);
    }
    queue_.draw_early();
    if (whole || Rows::exchanges) {
      for_tile_entries(entries, [](T& entry, const T& value) { entry = value; });
      __syncthreads();
    }
    if (whole) {
      if constexpr (Rows::exchanges) {
        rows.store_sources(problem_.row_source + shape_.first, pivots);
      }
      return store_small_factors<T, BlockGroup>(problem_, shape_, memory_.entry);
    }
    unsigned stored = stored_inverses;
    if constexpr (Rows::exchanges) {
      store_exchanged_triangles(k, pivots, rows);
    } else {
      store_triangles(problem_.factors, shape_, k, entries);
    }
    if constexpr (is_dense) {
      if (!has_small_inverses(entries, memory_.entry)) {
        matrix_tile().load(entries);
        factor_plainly(entries, memory_.entry, memory_.triangle, pivots);
        matrix_tile().store(entries);
        store_triangles(problem_.factors, shape_, k, entries);
        stored = stored_factors;
      }
    }
    raise_flag<BlockGroup>(flag_of(lower_tile(shape_, k, k)), stored);
  }

  // As lufact::gpu::store_triangles(), where rows were exchanged: column k of inverse(L) becomes
  // column source(k) of the stored inverse(L) P, which may be full.
  __device__ void store_exchanged_triangles(Index k, Index pivots, const Rows& rows) const {
    const StoredTile<T> lower = lower_stored(problem_.factors, shape_, k, k);
    const StoredTile<T> upper = upper_stored(problem_.factors, shape_, k, k);
#pragma unroll 4
    for (Index e = BlockGroup::rank(); e < tile * shape_.pivot_width; e += BlockGroup::threads) {
      const Index depth = e / tile, along = e % tile;
      const Index source = rows.source(depth);
      if (depth >= pivots || along >= pivots) continue;
      const T entry = memory_.entry[depth * tile_leading + along];
      lower.entry[source * lower.rows + along] = along > depth    ? entry
                                                 : along == depth ? T(1)
                                                                  : T(0);
      if (along >= depth) {
        upper.entry[depth * upper.rows + along] = memory_.entry[along * tile_leading + depth];
      }
    }
  }

  // Stores past the first-level cache gained nothing here (12 matrices).
  __device__ void contribute(Fragment<T>& entries) {
    if (task_.block_end - task_.block_begin < shape_.child_end - shape_.child_begin) {
      wait_for_all_children<T, BlockGroup>(problem_, shape_);
    }
    queue_.draw_early();
    const Index first_row = (task_.tile_row - shape_.pivot_tiles) * shape_.row_width;
    const Index first_column = (task_.tile_column - shape_.pivot_tiles) * shape_.row_width;
    const Index rows = min(shape_.row_width, shape_.rows - first_row);
    const Index columns = min(shape_.row_width, shape_.rows - first_column);
    T* const to = problem_.contributions + shape_.contribution + first_row +
                  static_cast<Offset>(first_column) * shape_.rows;
    entries.for_each([&](int i, int j, const T& value) {
      const int row = BlockGroup::first_row() + i, column = BlockGroup::first_column() + j;
      if (row < rows && column < columns) {
        to[static_cast<Offset>(column) * shape_.rows + row] = value;
      }
    });
    count_up<BlockGroup>(problem_.sync.done + task_.front);
  }

  // L(i, k) = entries * U(k, k)^-1, or U(k, j) = L(k, k)^-1 * entries.
  __device__ void divide_by_diagonal(Fragment<T>& entries) {
    const bool of_lower = task_.kind == TaskKind::lower;
    const Index k = min(task_.tile_row, task_.tile_column);
    for_tile_entries(entries, [](T& entry, const T& value) { entry = value; });
    const bool has_inverses = wait_for_diagonal(k);
    watch_.done(BlockWork::diagonal);
    copy_triangle(of_lower ? upper(k, k) : lower(k, k));
    Fragment<T> product;
    if (has_inverses) {
      multiply_with_inverse(product, of_lower);
    } else {
      solve_with_factor(product);
    }
    watch_.done(BlockWork::division);
    queue_.draw_early();
    store_factor(product, of_lower, k);
  }

  // Gives whether the tile has inverses in place of factors.
  __device__ bool wait_for_diagonal(Index k) const {
    const unsigned* const diagonal = flag_of(lower_tile(shape_, k, k));
    if constexpr (is_dense) {
      return wait_for_either(diagonal, stored_inverses);
    } else {
      wait_for_words<BlockGroup>(
          1, [&](int) { return diagonal; }, [](int) { return 1U; });
      return true;
    }
  }

  __device__ void multiply_with_inverse(Fragment<T>& product, bool lower) {
    PanelSums<T> sums(product, memory_.entry, FromZero{});
#pragma unroll 1
    for (Index p = 0; p < panels_per_tile(); ++p) {
      if (p == 0) {
        wait_for_copies<triangle_panels - 1>();
      } else {
        wait_for_copies<0>();
      }
      __syncthreads();
      const T* const own = memory_.entry + p * product_depth * tile_leading;
      const T* const other = triangle_panel(p);
      sums.add(lower ? own : other, lower ? other : own);
    }
    sums.give_back();
  }

  __device__ void solve_with_factor(Fragment<T>& solution) {
    wait_for_copies<0>();
    __syncthreads();
    solve_with_triangle(memory_.entry, memory_.triangle, shape_.pivot_width);
    __syncthreads();
    for_tile_entries(solution, [](const T& entry, T& value) { value = entry; });
  }

  // All panels are copied at the same time, beside the tile, one group of copies each.
  static constexpr int triangle_panels = tile / product_depth;
  static_assert(triangle_panels == 4);
  __device__ T* triangle_panel(Index panel) {
    ProductStage<T>& stage = memory_.late_stage[panel / 2];
    return panel % 2 == 0 ? stage.left : stage.right;
  }
  __device__ void copy_triangle(const StoredTile<const T>& from) {
#pragma unroll
    for (Index p = 0; p < triangle_panels; ++p) {
      if (p < panels_per_tile()) copy_panel(triangle_panel(p), from, p * product_depth);
      commit_copies();
    }
  }

  __device__ void store_factor(Fragment<T>& entries, bool of_lower, Index k) {
    const Index number =
        of_lower ? lower_tile(shape_, task_.tile_row, k) : upper_tile(shape_, k, task_.tile_column);
    const StoredTile<T> stored = of_lower
                                     ? lower_stored(problem_.factors, shape_, task_.tile_row, k)
                                     : upper_stored(problem_.factors, shape_, k, task_.tile_column);
    store_tile(entries, of_lower, stored);
    raise_flag<BlockGroup>(flag_of(number));
    if constexpr (is_dense) matrix_tile().store(entries);
  }

  const FrontProblem<T>& problem_;
  const PivotRule<T>& rule_;
  const Tiles tiles_;
  [[no_unique_address]] Watch watch_;
  const FrontTask& task_;
  const FrontShape& shape_;
  TileMemory<T>& memory_;
  PanelBarriers& barriers_;
  BlocksAtHand<T>& at_hand_;
  TicketQueue& queue_;
  SharedTile<T> tile_;
};

}  // namespace lufact::gpu
