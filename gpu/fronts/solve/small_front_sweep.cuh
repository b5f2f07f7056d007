// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/fronts/solve/sweep.cuh"

namespace lufact::gpu {

template <class T, int columns>
struct SmallFrontVector {
  T entry[tile][columns];
  ChildRows children[children_at_hand];
};

// Solves with a small front, by one warp. The first factor entries are loaded while the warp waits,
// further ones while it multiplies.
template <class T, int columns, HandOver way, Pivoting pivoting>
class SmallFrontSweep : private Sweep<T, columns, WarpGroup, way> {
  using Base = Sweep<T, columns, WarpGroup, way>;
  using Base::at, Base::problem_, Base::shape_, Base::task_;

 public:
  __device__ SmallFrontSweep(const SweepProblem<T, way>& problem, const TaskRecord& record,
                             SmallFrontVector<T, columns>& vector)
      : Base(problem, record, vector.children), entry_(vector.entry) {}

  __device__ void forward() {
    const unsigned* const stored_words = problem_.running.stored;
    Base::wait_for_factors(stored_words == nullptr ? nullptr : stored_words + task_.front);
    order() <= warp_size ? forward_by<1>() : forward_by<rows_per_lane>();
  }
  __device__ void backward() {
    Base::wait_for_factors(problem_.running.complete);
    shape_.pivots <= warp_size ? backward_by<1>() : backward_by<rows_per_lane>();
  }

 private:
  static constexpr int rows_per_lane = tile / warp_size;      // of the largest front
  static constexpr int entries_at_hand = 16;                  // of a lane in a batch
  static constexpr bool room_for_two_batches = columns == 1;  // in registers

  template <int rows>
  using Sums = T[rows][columns];

  __device__ const T* stored() const { return problem_.factors + shape_.factors; }
  __device__ Index order() const { return shape_.pivots + shape_.rows; }

  // The m-th column of L that a lane multiplies by, and the lane's rows.
  struct LowerColumns {
    const T* stored;
    Index pivots, order;

    __device__ bool has(Index m) const { return m < pivots; }
    __device__ Index column(Index m) const { return m; }
    __device__ T entry(Index k, int r) const {
      const Index i = WarpGroup::rank() + r * warp_size;
      return k < pivots && i > k && i < order ? stored[k * order + i] : T(0);
    }
  };

  // For U the warp is cut into groups of at least as many lanes as pivots (a power of two, at most
  // 32). A lane has one row, or two for more than 32 pivots, and one in `groups` of its columns.
  struct Place {
    int group_lanes = 1, groups, row, column;

    __device__ explicit Place(Index pivots) {
      while (group_lanes < pivots && group_lanes < warp_size) group_lanes *= 2;
      groups = warp_size / group_lanes;
      row = WarpGroup::rank() & (group_lanes - 1);
      column = WarpGroup::rank() / group_lanes;
    }
    __device__ Index row_of(int r) const { return row + r * warp_size; }
    // Whether this lane has the solution of its r-th row in the end.
    __device__ bool solves(int r, Index pivots) const { return column == 0 && row_of(r) < pivots; }
  };

  // The m-th column of U that a lane multiplies by, and the lane's rows.
  struct UpperColumns {
    const T* stored;
    Index pivots, order;
    const Place& place;

    __device__ bool has(Index m) const { return m * place.groups < order; }
    __device__ Index column(Index m) const { return m * place.groups + place.column; }
    __device__ T entry(Index k, int r) const {
      const Index i = place.row_of(r);
      const T* const from =
          stored + (k < pivots ? k * order : pivots * order + (k - pivots) * pivots);
      return i <= k && i < pivots && k < order ? from[i] : T(0);
    }
  };

  // Sums the products of a lane's rows and columns, in order of columns. The constructor starts the
  // loads of the first columns.
  template <int rows, class Columns>
  class ColumnProducts {
   public:
    __device__ explicit ColumnProducts(const Columns& from) : from_(from) {
      load(0, batch_);
      if constexpr (room_for_two_batches) load(width, next_);
    }

    // sum += factor * entry.
    __device__ void add_to(const T (*entry)[columns], Sums<rows>& sum) {
#pragma unroll 1
      for (Index first = 0;;) {
        add_batch(entry, first, sum);
        first += width;
        if (!from_.has(first)) return;
        if constexpr (room_for_two_batches) {
          batch_ = next_;
          load(first + width, next_);
        } else {
          load(first, batch_);
        }
      }
    }

   private:
    static constexpr int width = entries_at_hand / rows;

    struct Batch {
      T factor[width][rows];
    };

    __device__ void load(Index first, Batch& batch) const {
#pragma unroll
      for (int q = 0; q < width; ++q) {
        const Index k = from_.column(first + q);
#pragma unroll
        for (int r = 0; r < rows; ++r) batch.factor[q][r] = from_.entry(k, r);
      }
    }

    __device__ void add_batch(const T (*entry)[columns], Index first, Sums<rows>& sum) const {
#pragma unroll
      for (int q = 0; q < width; ++q) {
        const Index k = min(from_.column(first + q), from_.order - 1);
#pragma unroll
        for (int r = 0; r < rows; ++r) {
#pragma unroll
          for (int c = 0; c < columns; ++c) sum[r][c] += batch_.factor[q][r] * entry[k][c];
        }
      }
    }

    const Columns& from_;
    Batch batch_, next_;
  };

  // The rows that pivots come from, as the factorization has exchanged them.
  struct RowSources {
    Index entry[rows_per_lane];
  };
  __device__ RowSources row_sources() const {
    RowSources source;
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const Index i = WarpGroup::rank() + r * warp_size;
      source.entry[r] = i < shape_.pivots ? problem_.row_source[shape_.first + i] : 0;
    }
    return source;
  }
  __device__ void exchange_rows(const RowSources& source) {
    T value[rows_per_lane][columns];
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const Index i = WarpGroup::rank() + r * warp_size;
      if (i < shape_.pivots) Base::store(value[r], entry_[source.entry[r]]);
    }
    __syncwarp();
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const Index i = WarpGroup::rank() + r * warp_size;
      if (i < shape_.pivots) Base::store(entry_[i], value[r]);
    }
    __syncwarp();
  }

  template <int rows>
  __device__ void forward_by() {
    const Index pivots = shape_.pivots;
    const LowerColumns lower{stored(), pivots, order()};
    ColumnProducts<rows, LowerColumns> products(lower);
    for (Index i = WarpGroup::rank(); i < order(); i += warp_size) {
      T value[columns] = {};
      if (i < pivots) Base::load_right_hand_side(shape_.first + i, value);
      Base::store(entry_[i], value);
    }
    __syncwarp();
    const auto add_children = [&] { Base::add_children(entry_, [](Index row) { return row; }); };
    if constexpr (pivoting == Pivoting::diagonal_block) {
      const RowSources source = row_sources();
      add_children();
      exchange_rows(source);
    } else {
      add_children();
    }
    Sums<rows> sum = {};
    products.add_to(entry_, sum);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const Index i = WarpGroup::rank() + r * warp_size;
      if (i >= order()) continue;
#pragma unroll
      for (int c = 0; c < columns; ++c) sum[r][c] += entry_[i][c];
      Base::publish(i < pivots ? Base::lower_solution(shape_.first + i)
                               : at(problem_.contributions, shape_.parent_rows + i - pivots),
                    sum[r]);
    }
    Base::count(problem_.lower.done + task_.front);
  }

  template <int rows>
  __device__ void backward_by() {
    const Index pivots = shape_.pivots;
    const Place place(pivots);
    const UpperColumns upper{stored(), pivots, order(), place};
    ColumnProducts<rows, UpperColumns> products(upper);
    Index position[rows_per_lane];
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const Index i = WarpGroup::rank() + r * warp_size;
      position[r] = i < pivots    ? shape_.first + i
                    : i < order() ? problem_.row[shape_.parent_rows + i - pivots]
                                  : -1;
    }
    Index label[rows] = {};
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (place.solves(r, pivots)) label[r] = problem_.label[shape_.first + place.row_of(r)];
    }
    Base::wait_for_parent(problem_.lower.done + task_.front);
    double scale[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) scale[r] = Base::solution_scale(label[r]);
    load_known(position);
    Sums<rows> sum = {};
    products.add_to(entry_, sum);
    fold_groups<rows>(place, sum);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (!place.solves(r, pivots)) continue;
      Base::publish(at(problem_.solution, shape_.first + place.row_of(r)), sum[r]);
    }
    Base::count(problem_.upper.done + task_.front);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (place.solves(r, pivots)) Base::write_solution(label[r], scale[r], sum[r]);
    }
  }

  // entry_ := the solution with L at pivots, that with U at the rows behind them.
  __device__ void load_known(const Index (&position)[rows_per_lane]) {
    if constexpr (Base::by_values) {
      Values seen[rows_per_lane];
#pragma unroll
      for (int r = 0; r < rows_per_lane; ++r) {
        if (position[r] >= 0) Base::load(known_at(r, position[r]), seen[r].entry);
      }
#pragma unroll
      for (int r = 0; r < rows_per_lane; ++r) {
        if (position[r] < 0) continue;
        Base::complete(known_at(r, position[r]), seen[r].entry);
        Base::store(entry_[WarpGroup::rank() + r * warp_size], seen[r].entry);
      }
    } else {
#pragma unroll
      for (int r = 0; r < rows_per_lane; ++r) {
        if (position[r] < 0) continue;
        Base::load(known_at(r, position[r]), entry_[WarpGroup::rank() + r * warp_size]);
      }
    }
    __syncwarp();
  }
  struct Values {
    T entry[columns];
  };
  // Where the r-th of the lane's rows, at `position`, is known.
  __device__ const T* known_at(int r, Index position) const {
    const bool pivot = WarpGroup::rank() + r * warp_size < shape_.pivots;
    return pivot ? Base::lower_solution(position) : at(problem_.solution, position);
  }

  // Adds up the sums of the lanes of equal row in all groups, in a fixed order.
  template <int rows>
  __device__ static void fold_groups(const Place& place, Sums<rows>& sum) {
#pragma unroll 1
    for (int distance = warp_size / 2; distance >= place.group_lanes; distance /= 2) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
          sum[r][c] += __shfl_xor_sync(full_warp, sum[r][c], distance);
        }
      }
    }
  }

  T (*entry_)[columns];
};

}  // namespace lufact::gpu
