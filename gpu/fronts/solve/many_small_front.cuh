// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/fronts/solve/many_columns.cuh"

namespace lufact::gpu {

inline constexpr int rows_of_lane = 8;                      // at a time
inline constexpr int rows_at_once = rows_of_lane * halves;  // of a front

template <class T>
struct ManySmallFrontMemory {
  static constexpr int depth = 16;  // columns of factors that are at hand

  ManyRow<T> entry[tile];
  T factor[depth][rows_at_once];
  unsigned char source[tile];  // of rows of pivots, as the factorization has exchanged them
  ChildRows children[children_at_hand];
};

// Solves with a small front, or its transpose, for many right-hand sides, by one warp.
template <class T, Pivoting pivoting, bool transposed>
class ManySmallFront : private ManyColumns<T, WarpGroup> {
  using Base = ManyColumns<T, WarpGroup>;
  using Memory = ManySmallFrontMemory<T>;
  using Base::at, Base::column, Base::half, Base::problem_, Base::shape_, Base::task_;

 public:
  __device__ ManySmallFront(const SolveProblem<T>& problem, const TaskRecord& record,
                            Memory& memory)
      : Base(problem, record, memory.children), memory_(memory) {}

  __device__ void forward() {
    const Index pivots = shape_.pivots;
    set_entries(
        [&](Index i) { return i < pivots ? Base::right_hand_side(shape_.first + i) : T(0); });
    if constexpr (!transposed) load_sources();
    const Before before{{{stored(), pivots, order()}}};
    const TwoParts parts(before);
    Base::add_children(memory_.entry, [](Index row) { return row; });
    const auto row_of = [&](Index i) { return transposed ? i : source_of(i); };
    multiply(before, parts, row_of, [&](Index i, T sum) {
      if (before.has_ones(i)) sum += memory_.entry[row_of(i)][column()];
      store_result(i < pivots ? at(problem_.solution, shape_.first + i)
                              : at(problem_.contributions, shape_.parent_rows + i - pivots),
                   sum);
    });
    Base::count(problem_.lower.done + task_.front);
  }

  __device__ void backward() {
    const Index pivots = shape_.pivots;
    const Behind behind{{{stored(), pivots, order()}}};
    const TwoParts parts(behind);
    Index position[tile / warp_size];
#pragma unroll
    for (int k = 0; k < tile / warp_size; ++k) {
      const Index i = lane() + k * warp_size;
      position[k] = i < pivots    ? shape_.first + i
                    : i < order() ? problem_.row[shape_.parent_rows + i - pivots]
                                  : 0;
    }
    Base::wait_for_parent(problem_.lower.done + task_.front);
    set_entries([&](Index i) {
      // Rows that lanes have at a time are all before row 32, or none.
      const Index own = __shfl_sync(full_warp, i < warp_size ? position[0] : position[1],
                                    static_cast<int>(i % warp_size));
      return i < order() ? __ldcg(at(problem_.solution, own)) : T(0);
    });
    if constexpr (transposed) {
      load_sources();
      __syncwarp();
    }
    const auto position_of = [&](Index i) {
      return shape_.first + (transposed ? source_of(i) : i);
    };
    // Rows behind need nothing of those before: the solution stays where it is found.
    multiply(
        behind, parts, [](Index i) { return i; },
        [&](Index i, T sum) {
          if (behind.has_ones) sum += memory_.entry[i][column()];
          memory_.entry[i][column()] = sum;
          store_result(at(problem_.solution, position_of(i)), sum);
        });
    Base::count(problem_.upper.done + task_.front);
    for (Index first = 0; first < pivots; first += rows_at_once) {
      typename Base::Destination to[rows_of_lane];
      for_own_rows(first, pivots,
                   [&](Index i, int r) { to[r] = Base::destination(position_of(i)); });
      for_own_rows(first, pivots, [&](Index i, int r) {
        Base::write_solution(to[r], memory_.entry[i][column()]);
      });
    }
  }

 private:
  __device__ const T* stored() const {
    return problem_.factors + shape_.factors;
  }
  __device__ static int lane() {
    return static_cast<int>(threadIdx.x) % warp_size;
  }
  // body(row, its number among those of the lane) for the half's rows of those from `first` on.
  template <class Body>
  __device__ static void for_own_rows(Index first, Index rows, const Body& body) {
#pragma unroll
    for (int r = 0; r < rows_of_lane; ++r) {
      const Index i = first + half() * rows_of_lane + r;
      if (i < rows) body(i, r);
    }
  }
  // entry := value(row) for all rows, and others behind them; loads of several rows are under way
  // at once. All lanes of the warp call value().
  template <class Value>
  __device__ void set_entries(const Value& value) {
    for (Index first = 0; first < order(); first += rows_at_once) {
      T loaded[rows_of_lane];
#pragma unroll
      for (int r = 0; r < rows_of_lane; ++r) {
        if (first + r < order()) loaded[r] = value(first + half() * rows_of_lane + r);
      }
      for_own_rows(first, order(), [&](Index i, int r) { memory_.entry[i][column()] = loaded[r]; });
    }
  }
  __device__ Index order() const {
    return shape_.pivots + shape_.rows;
  }

  // Where the row of pivot i comes from; those behind the pivots stay.
  __device__ void load_sources() {
    if constexpr (pivoting == Pivoting::diagonal_block) {
      for (Index i = lane(); i < shape_.pivots; i += warp_size) {
        memory_.source[i] = problem_.row_source[shape_.first + i];
      }
    }
  }
  __device__ Index source_of(Index i) const {
    return pivoting == Pivoting::diagonal_block && i < shape_.pivots ? memory_.source[i] : i;
  }

  // Factors by rows [0, rows()), of which those at once from `first` on have entries in columns
  // begin(first) to end(first), and where they have ones besides, which are not stored.
  struct Factors {
    const T* stored;
    Index pivots, order;
  };
  struct RowsBefore : Factors {
    __device__ Index rows() const { return this->order; }
    __device__ static Index begin(Index) { return 0; }
    __device__ Index end(Index first) const { return min(this->pivots, first + rows_at_once); }
  };
  struct Lower : RowsBefore {
    __device__ static bool has_ones(Index) { return true; }
    __device__ T entry(Index i, Index k) const {
      return k < this->pivots && i > k && i < this->order ? this->stored[k * this->order + i]
                                                          : T(0);
    }
  };
  struct TransposedUpper : RowsBefore {
    __device__ bool has_ones(Index i) const { return i >= this->pivots; }
    __device__ T entry(Index i, Index k) const {
      const T* const from = upper_column(*this, i);
      return k < this->pivots && k <= i && i < this->order ? from[k] : T(0);
    }
  };
  struct RowsBehind : Factors {
    __device__ Index rows() const { return this->pivots; }
    __device__ static Index begin(Index first) { return first; }
    __device__ Index end(Index) const { return this->order; }
  };
  struct Upper : RowsBehind {
    static constexpr bool has_ones = false;
    __device__ T entry(Index i, Index k) const {
      const T* const from = upper_column(*this, k);
      return i <= k && i < this->pivots && k < this->order ? from[i] : T(0);
    }
  };
  struct TransposedLower : RowsBehind {
    static constexpr bool has_ones = true;
    __device__ T entry(Index i, Index k) const {
      return i < this->pivots && k > i && k < this->order ? this->stored[i * this->order + k]
                                                          : T(0);
    }
  };
  __device__ static const T* upper_column(const Factors& factors, Index k) {
    const Index pivots = factors.pivots, order = factors.order;
    return factors.stored + (k < pivots ? k * order : pivots * order + (k - pivots) * pivots);
  }
  using Before = std::conditional_t<transposed, TransposedUpper, Lower>;
  using Behind = std::conditional_t<transposed, TransposedLower, Upper>;

  // 16 columns of the rows at once, a lane's share, and where they stand.
  struct Part {
    Index row = 0, depth = 0;
    static constexpr int share = Memory::depth * rows_at_once / warp_size;
    T entry[share];

    template <class Rows>
    __device__ void load(const Rows& factors) {
#pragma unroll
      for (int q = 0; q < share; ++q) {
        entry[q] = factors.entry(row + lane() % rows_at_once, depth + depth_of(q));
      }
    }
    // The part after another one.
    template <class Rows>
    __device__ void load_behind(const Rows& factors, const Part& before) {
      const bool last = before.is_last(factors);
      row = last ? before.row + rows_at_once : before.row;
      depth = last ? factors.begin(row) : before.depth + Memory::depth;
      load(factors);
    }
    template <class Rows>
    __device__ bool is_last(const Rows& factors) const {  // of its rows
      return depth + Memory::depth >= factors.end(row);
    }
    // Of a lane's q-th entry.
    __device__ static int depth_of(int q) {
      return q * (warp_size / rows_at_once) + lane() / rows_at_once;
    }
  };

  // The first two parts, loaded while the warp waits for what they are multiplied by.
  struct TwoParts {
    Part first, second;

    template <class Rows>
    __device__ explicit TwoParts(const Rows& factors) {
      first.depth = factors.begin(0);
      first.load(factors);
      second.load_behind(factors, first);
    }
  };

  // result(row, sum over k of factor(row, k) * entry[row_of(k)]) for all rows, in order of k.
  template <class Rows, class RowOf, class Result>
  __device__ void multiply(const Rows& factors, TwoParts parts, const RowOf& row_of,
                           const Result& result) {
    T sum[rows_of_lane] = {};
    while (parts.first.row < factors.rows()) {
      const Part part = parts.first;
      __syncwarp();
#pragma unroll
      for (int q = 0; q < Part::share; ++q) {
        memory_.factor[Part::depth_of(q)][lane() % rows_at_once] = part.entry[q];
      }
      __syncwarp();
      parts.first = parts.second;
      parts.second.load_behind(factors, parts.first);
      const Index deep = min(factors.end(part.row) - part.depth, Memory::depth);
      const int own = half() * rows_of_lane;
      for (Index k = 0; k < deep; ++k) {
        const T value = memory_.entry[row_of(part.depth + k)][column()];
#pragma unroll
        for (int r = 0; r < rows_of_lane; ++r) sum[r] += memory_.factor[k][own + r] * value;
      }
      if (!part.is_last(factors)) continue;
      __syncwarp();  // a result may take the place of what the other half has read
      for_own_rows(part.row, factors.rows(), [&](Index i, int r) { result(i, sum[r]); });
#pragma unroll
      for (int r = 0; r < rows_of_lane; ++r) sum[r] = T(0);
    }
  }

  Memory& memory_;
};

}  // namespace lufact::gpu
