// SPDX-License-Identifier: BSD-3-Clause
// The elimination of a small front by one lane, where its values stand: host and device run the
// same code. Every entry goes through the operations that WarpFront (gpu/fronts/numeric) takes it
// through, in the same order, so that the bits of a system do not depend on which of the two it was
// given to; operations with the padding of a tile, which change nothing, are left out.
// This takes tensor cores to add the products of doubles one by one, each rounded once, in the
// order of the depth: test_gpu_systems holds them to it.
#pragma once
#include <cmath>

#include "core/systems/lane_front.hpp"

namespace lufact {

// a b + c, rounded once.
template <class T>
LUFACT_HOST_DEVICE T multiply_add(T a, T b, T c) {
  using std::fma;
  return fma(a, b, c);
}

// Entry e of a lane; `base` is that of its entry 0.
template <class T>
struct LaneArray {
  T* base;

  LUFACT_HOST_DEVICE T& operator[](Offset e) const { return base[e * lanes]; }
  LUFACT_HOST_DEVICE LaneArray from(Offset e) const { return {base + e * lanes}; }
};

// A front's entries: its pivots' columns, its pivots' rows right of them, its contribution block.
template <class T>
struct LaneTile {
  LaneArray<T> factors, block;
  Index pivots, order;

  LUFACT_HOST_DEVICE LaneTile(const LaneFront& front, LaneArray<T> all_factors,
                              LaneArray<T> all_contributions)
      : factors(all_factors.from(front.factors)),
        block(all_contributions.from(front.contribution)),
        pivots(front.pivots),
        order(front.order()) {}

  LUFACT_HOST_DEVICE Index rows() const { return order - pivots; }
  // Entries from one column to the next, right of the pivots' columns and in them.
  LUFACT_HOST_DEVICE Index leading(Index i, Index j) const {
    return j < pivots ? order : i < pivots ? pivots : rows();
  }
  // The lane's entries from (i, j) on, down its column.
  LUFACT_HOST_DEVICE LaneArray<T> at(Index i, Index j) const {
    if (j < pivots) return factors.from(Offset{j} * order + i);
    if (i < pivots) return factors.from(Offset{pivots} * order + Offset{j - pivots} * pivots + i);
    return block.from(Offset{j - pivots} * rows() + i - pivots);
  }
};

// Sets the tile to the entries of B (`values`, as T, scaled) and adds the children's blocks, in
// their order.
template <class T>
class LaneAssembly {
 public:
  LUFACT_HOST_DEVICE LaneAssembly(const LaneTile<T>& tile, LaneArray<T> contributions,
                                  const Index* parent_row)
      : tile_(tile),
        contributions_(contributions),
        parent_row_(parent_row),
        padding_((pivot_block - tile.pivots % pivot_block) % pivot_block) {}

  LUFACT_HOST_DEVICE void clear_factors() const {
    const Index entries = tile_.pivots * (tile_.order + tile_.rows());
    for (Index e = 0; e < entries; ++e) tile_.factors[e] = T(0);
  }
  // Once all children are complete: their children's blocks may stand in the same place.
  LUFACT_HOST_DEVICE void clear_block() const {
    for (Index e = 0; e < tile_.rows() * tile_.rows(); ++e) tile_.block[e] = T(0);
  }
  // `place` as TaskGraph::entry_place, of padded rows and columns.
  LUFACT_HOST_DEVICE void set(const std::uint16_t* place, LaneArray<const T> values,
                              Index count) const {
    for (Index first = 0; first < count; first += batch) {
      T value[batch];
      LUFACT_UNROLL
      for (int k = 0; k < batch; ++k) value[k] = first + k < count ? values[first + k] : T(0);
      LUFACT_UNROLL
      for (int k = 0; k < batch; ++k) {
        if (first + k >= count) break;
        const Index to = place[first + k];
        tile_.at(unpadded(to % 256), unpadded(to / 256))[0] = value[k];
      }
    }
  }
  LUFACT_HOST_DEVICE void add(const LaneChild& child) const {
    const Index* const to = parent_row_ + child.parent_rows;
    const LaneArray<T> from = contributions_.from(child.contribution);
    for (Index j = 0; j < child.rows; ++j) {
      for (Index i = 0; i < child.rows; i += batch) {
        add_rows(to, i, to[j], from.from(Offset{j} * child.rows), child.rows);
      }
    }
  }

 private:
  static constexpr int batch = 4;  // loads that overlap, since no store is between them

  LUFACT_HOST_DEVICE Index unpadded(Index place) const {
    return place < tile_.pivots ? place : place - padding_;
  }
  LUFACT_HOST_DEVICE void add_rows(const Index* to, Index first, Index column, LaneArray<T> from,
                                   Index rows) const {
    T sum[batch] = {};
    LUFACT_UNROLL
    for (int k = 0; k < batch; ++k) {
      if (first + k < rows) sum[k] = tile_.at(to[first + k], column)[0] + from[first + k];
    }
    LUFACT_UNROLL
    for (int k = 0; k < batch; ++k) {
      if (first + k < rows) tile_.at(to[first + k], column)[0] = sum[k];
    }
  }

  const LaneTile<T>& tile_;
  LaneArray<T> contributions_;
  const Index* parent_row_;
  Index padding_;  // of the pivots, in a tile
};

// The block of up to 8 pivots of a step, by rows, in the lane's part of shared memory. As
// SmallBlock: in place come the inverses of L and U. Pair is PivotPair on the device.
template <class T, class Pair>
class LaneBlock {
 public:
  static constexpr Index entries = pivot_block * pivot_block;

  LUFACT_HOST_DEVICE LaneBlock(LaneArray<T> memory, Index pivots)
      : memory_(memory), pivots_(pivots) {}

  LUFACT_HOST_DEVICE T& at(Index i, Index j) const { return memory_[i * pivot_block + j]; }
  LUFACT_HOST_DEVICE Index pivots() const { return pivots_; }

  // The block is taken from `from`, by columns, `leading` apart. Eliminated again where a pivot has
  // to be replaced.
  template <class Rule, class Counters>
  LUFACT_HOST_DEVICE void eliminate(LaneArray<T> from, Index leading, const Rule& rule,
                                    Counters* counters) const {
    bool replaces = false;
    for (;;) {
      load(from, leading);
      bool usable = true;
      const auto judge = [&](Pair& pair) {
        if (pair.is_usable(rule)) return;
        if (replaces) pair.replace_pivots(rule, counters);
        usable = false;
      };
      for (Index first = 0; first < pivot_block; first += 2) eliminate_pair(first, judge);
      if (usable || replaces) return;
      replaces = true;
    }
  }

 private:
  // With a row and column of the identity behind an odd number of pivots. A column is loaded before
  // any of it is stored, so that its loads overlap.
  LUFACT_HOST_DEVICE void load(LaneArray<T> from, Index leading) const {
    for (Index j = 0; j < even(); ++j) {
      T entry[pivot_block];
      LUFACT_UNROLL
      for (int i = 0; i < pivot_block; ++i) {
        const bool inside = i < pivots_ && j < pivots_;
        entry[i] = inside ? from[Offset{j} * leading + i] : (i == j ? T(1) : T(0));
      }
      LUFACT_UNROLL
      for (int i = 0; i < pivot_block; ++i) {
        if (i < even()) at(i, j) = entry[i];
      }
    }
  }
  LUFACT_HOST_DEVICE Index even() const { return (pivots_ + 1) / 2 * 2; }

  template <class Judge>
  LUFACT_HOST_DEVICE void eliminate_pair(Index first, const Judge& judge) const {
    if (first >= pivots_) {
      Pair identity(T(1), T(0), T(0), T(1));
      return judge(identity);
    }
    Pair pair(at(first, first), at(first, first + 1), at(first + 1, first),
              at(first + 1, first + 1));
    judge(pair);
    for (Index i = 0; i < even(); ++i) {
      if (i / 2 != first / 2) eliminate_row(first, i, pair);
    }
    for (Index j = 0; j < even(); ++j) {
      if (j / 2 != first / 2) finish_column(first, j, pair);
    }
    at(first, first) = pair.inverse_p;
    at(first, first + 1) = multiply_add(-pair.inverse_p, pair.u, T(0)) * pair.inverse_q;
    at(first + 1, first) = -pair.l;
    at(first + 1, first + 1) = pair.inverse_q;
  }

  // Subtracts from a row that is not the pair's; left of the pivots rows above them stay.
  LUFACT_HOST_DEVICE void eliminate_row(Index first, Index i, const Pair& pair) const {
    const bool above = i < first;
    const T a0 = at(i, first) * pair.inverse_p;
    const T a1 = multiply_add(-a0, pair.u, at(i, first + 1)) * pair.inverse_q;
    for (Index j = above ? first + 2 : 0; j < even(); ++j) {
      if (j / 2 == first / 2) continue;
      const T top = at(first, j), bottom = multiply_add(-pair.l, top, at(first + 1, j));
      at(i, j) = multiply_add(-a1, bottom, multiply_add(-a0, top, at(i, j)));
    }
    at(i, first) = above ? a0 : multiply_add(a1, pair.l, -a0);
    at(i, first + 1) = above ? a1 : -a1;
  }

  // The pair's rows in column j: left of the pivots the inverse of L times them, right of them
  // minus the inverse of U times that.
  LUFACT_HOST_DEVICE void finish_column(Index first, Index j, const Pair& pair) const {
    const T top = at(first, j), bottom = multiply_add(-pair.l, top, at(first + 1, j));
    if (j < first) {
      at(first + 1, j) = bottom;
      return;
    }
    const T a1 = multiply_add(-pair.inverse_p, pair.u, T(0)) * pair.inverse_q;
    at(first, j) = multiply_add(-a1, bottom, multiply_add(-pair.inverse_p, top, T(0)));
    at(first + 1, j) = multiply_add(-pair.inverse_q, bottom, T(0));
  }

  LaneArray<T> memory_;
  Index pivots_;
};

// Eliminates the pivots of an assembled tile, 8 at a time, as TileElimination: with C the columns
// and R the rows of a step, A = C U^-1 and B = L^-1 R stand in their places until A B has been
// subtracted.
template <class T, class Pair>
class LaneElimination {
 public:
  using Block = LaneBlock<T, Pair>;

  // `memory`: Block::entries entries of the lane.
  LUFACT_HOST_DEVICE LaneElimination(const LaneTile<T>& tile, LaneArray<T> memory)
      : tile_(tile), memory_(memory) {}

  template <class Rule, class Counters>
  LUFACT_HOST_DEVICE void run(const Rule& rule, Counters* counters) const {
    for (Index first = 0; first < tile_.pivots; first += pivot_block) {
      const Index pivots = tile_.pivots - first < pivot_block ? tile_.pivots - first : pivot_block;
      const Block block(memory_, pivots);
      block.eliminate(tile_.at(first, first), tile_.order, rule, counters);
      multiply_panels(first, block);
      update(first, first + pivots);
      finish(first, block);
    }
  }

 private:
  // C := A, R := B.
  LUFACT_HOST_DEVICE void multiply_panels(Index first, const Block& block) const {
    const Index pivots = block.pivots();
    const auto columns = [&](Index q, Index k) { return q <= k ? block.at(q, k) : T(0); };
    const auto rows = [&](Index q, Index k) {
      return q == k ? T(1) : q < k ? block.at(k, q) : T(0);
    };
    replace_rows(first, pivots, {0, first}, columns);
    replace_rows(first, pivots, {first + pivots, tile_.order}, columns);
    replace_columns(first, pivots, {0, first}, rows);
    replace_columns(first, pivots, {first + pivots, tile_.order}, rows);
  }

  // Subtracts A B: beside the pivots' rows and columns everywhere but above and left of them.
  LUFACT_HOST_DEVICE void update(Index first, Index end) const {
    const Index pivots = tile_.pivots, order = tile_.order;
    subtract_product(first, end, {0, first}, {end, pivots});
    subtract_product(first, end, {0, first}, {pivots, order});
    subtract_product(first, end, {end, order}, {0, first});
    subtract_product(first, end, {end, order}, {end, pivots});
    subtract_product(first, end, {end, pivots}, {pivots, order});
    subtract_product(first, end, {pivots, order}, {pivots, order});
  }

  // Rows below: -A L^-1; columns to the right: -U^-1 B; the pivots' own block.
  LUFACT_HOST_DEVICE void finish(Index first, const Block& block) const {
    const Index pivots = block.pivots();
    const Range beyond{first + pivots, tile_.order};
    replace_rows(first, pivots, beyond, [&](Index k, Index c) {
      return k == c ? T(-1) : k > c ? -block.at(k, c) : T(0);
    });
    replace_columns(first, pivots, beyond,
                    [&](Index k, Index i) { return i <= k ? -block.at(i, k) : T(0); });
    for (Index j = 0; j < pivots; ++j) {
      for (Index i = 0; i < pivots; ++i) tile_.at(first + i, first + j)[0] = block.at(i, j);
    }
  }

  struct Range {
    Index begin, end;
  };

  // What the pivots' columns have of these rows, and what their rows have of these columns.
  template <class Factor>
  LUFACT_HOST_DEVICE void replace_rows(Index first, Index pivots, Range rows,
                                       const Factor& factor) const {
    for (Index i = rows.begin; i < rows.end; i += 2) {
      const Index other = i + 1 < rows.end ? i + 1 : i;
      replace_vectors(tile_.at(i, first), tile_.at(other, first), tile_.order, pivots, factor);
    }
  }
  template <class Factor>
  LUFACT_HOST_DEVICE void replace_columns(Index first, Index pivots, Range columns,
                                          const Factor& factor) const {
    for (Index j = columns.begin; j < columns.end; j += 2) {
      const Index other = j + 1 < columns.end ? j + 1 : j;
      replace_vectors(tile_.at(first, j), tile_.at(first, other), 1, pivots, factor);
    }
  }

  // v[k] := sum over q of v[q] factor(q, k), q ascending, for two vectors of at most 8 entries,
  // which may be the same. Both are loaded before any of them is stored, so that loads overlap.
  template <class Factor>
  LUFACT_HOST_DEVICE static void replace_vectors(LaneArray<T> one, LaneArray<T> other, Index step,
                                                 Index size, const Factor& factor) {
    T before[2][pivot_block];
    LUFACT_UNROLL
    for (int q = 0; q < pivot_block; ++q) {
      before[0][q] = q < size ? one[Offset{q} * step] : T(0);
      before[1][q] = q < size ? other[Offset{q} * step] : T(0);
    }
    for (Index k = 0; k < size; ++k) {
      T sum[2] = {};
      LUFACT_UNROLL
      for (int q = 0; q < pivot_block; ++q) {
        if (q >= size) break;
        const T by = factor(q, k);
        sum[0] = multiply_add(before[0][q], by, sum[0]);
        sum[1] = multiply_add(before[1][q], by, sum[1]);
      }
      one[Offset{k} * step] = sum[0];
      other[Offset{k} * step] = sum[1];
    }
  }

  static constexpr int side = 4;  // of a square in registers

  LUFACT_HOST_DEVICE void subtract_product(Index first, Index end, Range rows,
                                           Range columns) const {
    for (Index j = columns.begin; j < columns.end; j += side) {
      for (Index i = rows.begin; i < rows.end; i += side) {
        const Range square_rows{i, i + side < rows.end ? i + side : rows.end};
        const Range square_columns{j, j + side < columns.end ? j + side : columns.end};
        subtract_square(first, end - first, square_rows, square_columns);
      }
    }
  }

  // Rows and columns beyond the ranges repeat the last ones and are not stored.
  LUFACT_HOST_DEVICE void subtract_square(Index first, Index depth, Range rows,
                                          Range columns) const {
    const Index last_row = rows.end - rows.begin - 1, last_column = columns.end - columns.begin - 1;
    const LaneArray<T> to = tile_.at(rows.begin, columns.begin);
    const LaneArray<T> left = tile_.at(rows.begin, first);
    const LaneArray<T> right = tile_.at(first, columns.begin);
    const Index to_step = tile_.leading(rows.begin, columns.begin);
    const Index right_step = tile_.leading(first, columns.begin);
    T sum[side][side] = {};
    LUFACT_UNROLL
    for (int c = 0; c < side; ++c) {
      LUFACT_UNROLL
      for (int r = 0; r < side; ++r) {
        if (r <= last_row && c <= last_column) sum[r][c] = to[c * to_step + r];
      }
    }
    for (Index k = 0; k < depth; ++k) {
      T a[side], b[side];
      LUFACT_UNROLL
      for (int r = 0; r < side; ++r) {
        a[r] = left[k * tile_.order + (r < last_row ? r : last_row)];
        b[r] = right[(r < last_column ? r : last_column) * right_step + k];
      }
      LUFACT_UNROLL
      for (int c = 0; c < side; ++c) {
        LUFACT_UNROLL
        for (int r = 0; r < side; ++r) sum[r][c] = multiply_add(-a[r], b[c], sum[r][c]);
      }
    }
    LUFACT_UNROLL
    for (int c = 0; c < side; ++c) {
      LUFACT_UNROLL
      for (int r = 0; r < side; ++r) {
        if (r <= last_row && c <= last_column) to[c * to_step + r] = sum[r][c];
      }
    }
  }

  const LaneTile<T>& tile_;
  LaneArray<T> memory_;
};

}  // namespace lufact
