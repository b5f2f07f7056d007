// SPDX-License-Identifier: BSD-3-Clause
// One supernode of a left-looking factorization by one warp or one block. Its columns are stored
// densely over all rows that they or their source supernodes have. Every source supernode, once
// finished, is subtracted as a product of small dense blocks, in ascending order, so that no value
// depends on timing.
#pragma once
#include "gpu/components/thread_group.cuh"
#include "gpu/numeric/column_search.cuh"
#include "gpu/numeric/supernode_square.cuh"
#include "gpu/numeric/supernode_work.cuh"

namespace lufact::gpu {

template <int kThreads, class T>
class SupernodeTask {
  using Group = ThreadGroup<kThreads>;
  static constexpr int step_count = kThreads == warp_size ? steps_per_warp : steps_per_block;

 public:
  __device__ SupernodeTask(const SupernodeProblem<T>& problem, Index supernode,
                           SupernodeScratch<T>& scratch, SourceStep* steps,
                           GroupStorage<kThreads>& storage, char* memory)
      : problem_(problem),
        pattern_(problem.factors.pattern),
        values_(problem.factors.values),
        group_(storage),
        scratch_(scratch),
        steps_(steps),
        supernode_(supernode),
        begin_(problem.supernodes.first[supernode]),
        width_(problem.supernodes.first[supernode + 1] - begin_),
        below_(problem.supernodes.rows_below[supernode]),
        positions_(problem.supernodes.positions[supernode]) {
    work_.rows = reinterpret_cast<Index*>(memory);
    const Offset rows = (Offset{positions_} * static_cast<Offset>(sizeof(Index)) + 15) / 16 * 16;
    work_.values = reinterpret_cast<T*>(memory + rows);
  }

  __device__ void run() {
    list_positions();
    load_columns();
    switch (padded_width(width_)) {
      case 1:
        return finish<1>();
      case 2:
        return finish<2>();
      case 4:
        return finish<4>();
      default:
        return finish<8>();
    }
  }

 private:
  template <int W>
  __device__ void finish() {
    const Offset end = problem_.supernodes.source_ptr[supernode_ + 1];
    for (Offset s = problem_.supernodes.source_ptr[supernode_]; s < end; s += step_count) {
      const int count = static_cast<int>(end - s < step_count ? end - s : step_count);
      load_steps(s, count);
      int ready = 0;
      for (int step = 0; step < count; ++step) subtract<W>(step, count, ready);
    }
    group_.sync();
    if (group_.rank() < warp_size) {
      eliminate_square(work_.values + place_of_block(), positions_, width_, problem_.rule,
                       scratch_.inverse, problem_.counters);
    }
    group_.sync();
    store_lower<W>();
    publish();
    store_upper();
  }

  // Position by columns of the first row below the supernode in its column c.
  __device__ Offset below(int c) const { return pattern_.col_ptr[begin_ + c + 1] - below_; }
  __device__ Index place_of_block() const { return positions_ - below_ - width_; }
  __device__ T* column(int c) const { return work_.values + Offset{c} * positions_; }

  // The position of `row`, searched in [low, high); a row not found counts as misplaced.
  __device__ Index locate(Index row, Index low, Index high) const {
    const auto place = static_cast<Index>(find_row(work_.rows, low, high, row));
    if (place < 0) atomicAdd(&problem_.counters->misplaced, 1ULL);
    return place;
  }

  __device__ void list_positions() {
    const SupernodesRef& supernodes = problem_.supernodes;
    const Offset end = supernodes.source_ptr[supernode_ + 1];
    Index place = 0;
    for (Offset s = supernodes.source_ptr[supernode_]; s < end; s += kThreads) {
      Index first = 0, width = 0;
      if (s + group_.rank() < end) {
        const Index source = supernodes.sources[s + group_.rank()];
        first = supernodes.first[source];
        width = supernodes.first[source + 1] - first;
      }
      const auto scan = group_.scan(width);
      for (Index c = 0; c < width; ++c) work_.rows[place + scan.before + c] = first + c;
      place += scan.total;
    }
    const Index rank = group_.rank();
    if (rank < width_) work_.rows[place + rank] = begin_ + rank;
    const Offset rows = below(width_ - 1);
    for (Index t = rank; t < below_; t += kThreads) {
      work_.rows[place + width_ + t] = pattern_.row_idx[rows + t];
    }
    const Offset size = Offset{positions_} * padded_width(width_);
    for (Offset i = rank; i < size; i += kThreads) work_.values[i] = T(0);
    group_.sync();
  }

  // Writes the entries of the matrix to their positions; other values are zero.
  __device__ void load_columns() {
    for (int c = 0; c < width_; ++c) {
      const Offset first = pattern_.col_ptr[begin_ + c];
      const auto count = static_cast<Index>(pattern_.col_ptr[begin_ + c + 1] - first);
      for (Index t = group_.rank(); t < count; t += kThreads) {
        const T value = __ldcg(values_ + first + t);
        if (value == T(0)) continue;
        const Index place = locate(pattern_.row_idx[first + t], t, positions_ - (count - t) + 1);
        if (place >= 0) column(c)[place] = value;
      }
    }
  }

  // Loads sources s .. s + count - 1; `place_` is the position of the first.
  __device__ void load_steps(Offset s, int count) {
    group_.sync();
    if (group_.rank() < warp_size) {
      SourceStep step{};
      if (group_.rank() < count) {
        const SupernodesRef& supernodes = problem_.supernodes;
        step.supernode = supernodes.sources[s + group_.rank()];
        const Index first = supernodes.first[step.supernode];
        step.width = supernodes.first[step.supernode + 1] - first;
        step.rows = supernodes.rows_below[step.supernode];
        for (int c = 0; c < step.width; ++c) {
          step.below[c] = pattern_.col_ptr[first + c + 1] - step.rows;
        }
      }
      Index after = step.width;
      for (int distance = 1; distance < warp_size; distance *= 2) {
        const Index other = __shfl_up_sync(full_warp, after, distance);
        if (group_.lane() >= distance) after += other;
      }
      step.place = place_ + after - step.width;
      if (group_.rank() < count) steps_[group_.rank()] = step;
    }
    group_.sync();
    place_ = steps_[count - 1].place + steps_[count - 1].width;
  }

  // Subtracts one source: solves with the source's triangle, which makes U of its rows final, then
  // X(rows below, :) -= L(rows below, source) U(source, :).
  template <int W>
  __device__ void subtract(int index, int count, int& ready) {
    const SourceStep& step = steps_[index];
    if (step.rows == 0) return;
    const Index rows = step.rows;
    Index t = group_.rank();
    Index place = t < rows ? place_below(step, t) : -1;
    wait(index, count, ready);
    T factors[supernode_width];
    load_factors(step, t, factors);
    if (group_.rank() < warp_size) solve_block<W>(step);
    group_.sync();
    for (;;) {
      if (place >= 0) update<W>(step.width, place, factors);
      t += kThreads;
      if (t >= rows) return;
      load_factors(step, t, factors);
      place = place_below(step, t);
    }
  }

  // The position of the t-th row below a source: at least t rows lie between it and the source's
  // last column, and the rows that follow it come after it.
  __device__ Index place_below(const SourceStep& step, Index t) const {
    const Index row = pattern_.row_idx[step.below[step.width - 1] + t];
    return locate(row, step.place + step.width + t, positions_ - (step.rows - t) + 1);
  }

  // Waits until source `index` is finished. Sources before `ready` are known to be. A barrier.
  __device__ void wait(int index, int count, int& ready) {
    if (index < ready) return group_.sync();
    if (group_.rank() < warp_size) {
      const int known = wait_for_step(problem_.sync, steps_, index, count);
      if (group_.lane() == 0) scratch_.ready = index + known;
    }
    group_.sync();
    ready = scratch_.ready;
  }

  __device__ void load_factors(const SourceStep& step, Index t,
                               T (&factors)[supernode_width]) const {
#pragma unroll
    for (int k = 0; k < supernode_width; ++k) {
      factors[k] = k < step.width && t < step.rows ? __ldcg(values_ + step.below[k] + t) : T(0);
    }
  }

  // U(source, :) := L(source, source) \ X(source, :) by one warp; a lane has rows g and g + 4 of
  // column c. Leaves U at its positions and, by columns and padded with zeros, in `block`.
  template <int W>
  __device__ void solve_block(const SourceStep& step) {
    constexpr int half = supernode_width / 2;
    const int c = group_.lane() % supernode_width, g = group_.lane() / supernode_width;
    const int width = step.width;
    T* const x = column(c < W ? c : 0) + step.place;
    T low[supernode_width], high[supernode_width];
#pragma unroll
    for (int k = 0; k < supernode_width; ++k) {
      low[k] = k < g && g < width ? __ldcg(values_ + step.below[k] - (width - g)) : T(0);
      high[k] = k < g + half && g + half < width
                    ? __ldcg(values_ + step.below[k] - (width - g - half))
                    : T(0);
    }
    T first = g < width && c < W ? x[g] : T(0);
    T second = g + half < width && c < W ? x[g + half] : T(0);
#pragma unroll
    for (int k = 0; k + 1 < supernode_width; ++k) {
      if (k + 1 >= width) break;
      const T u =
          __shfl_sync(full_warp, k < half ? first : second, c + supernode_width * (k % half));
      if (k < g) first -= low[k] * u;
      if (k < g + half) second -= high[k] * u;
    }
    if (g < width && c < W) x[g] = first;
    if (g + half < width && c < W) x[g + half] = second;
    scratch_.block[c * supernode_width + g] = g < width ? first : T(0);
    scratch_.block[c * supernode_width + g + half] = g + half < width ? second : T(0);
  }

  template <int W>
  __device__ void update(int width, Index place, const T (&factors)[supernode_width]) {
    if (width > 4) return update_by<W, 8>(place, factors);
    if (width > 2) return update_by<W, 4>(place, factors);
    if (width > 1) return update_by<W, 2>(place, factors);
    update_by<W, 1>(place, factors);
  }

  template <int W, int S>
  __device__ void update_by(Index place, const T (&factors)[supernode_width]) {
    T sum[W];
#pragma unroll
    for (int c = 0; c < W; ++c) sum[c] = column(c)[place];
#pragma unroll
    for (int k = 0; k < S; ++k) {
#pragma unroll
      for (int c = 0; c < W; ++c) sum[c] -= factors[k] * scratch_.block[c * supernode_width + k];
    }
#pragma unroll
    for (int c = 0; c < W; ++c) column(c)[place] = sum[c];
  }

  // Stores the rows below the own square, X := X / U, and the square's L with the pivots.
  template <int W>
  __device__ void store_lower() {
    const Index place = place_of_block();
    for (Index t = group_.rank(); t < below_; t += kThreads) {
      T x[W];
#pragma unroll
      for (int c = 0; c < W; ++c) x[c] = column(c)[place + width_ + t];
#pragma unroll
      for (int c = 0; c < W; ++c) {
        if (c >= width_) break;
#pragma unroll
        for (int k = 0; k < c; ++k) x[c] -= x[k] * column(c)[place + k];
        x[c] = quotient(x[c], column(c)[place + c], scratch_.inverse[c]);
        __stcg(values_ + below(c) + t, x[c]);
      }
    }
    for (int e = group_.rank(); e < supernode_width * supernode_width; e += kThreads) {
      const int r = e % supernode_width, c = e / supernode_width;
      if (r >= c && r < width_) {
        __stcg(values_ + below(c) - (width_ - r), column(c)[place + r]);
      }
    }
  }

  __device__ void publish() {
    group_.sync();
    if (group_.rank() == 0) mark_done(problem_.sync, supernode_);
  }

  // Stores the part of U above each diagonal, which no other supernode reads.
  __device__ void store_upper() {
    for (int c = 0; c < width_; ++c) {
      const Offset first = pattern_.col_ptr[begin_ + c];
      const auto count = static_cast<Index>(below(c) - (width_ - c) - first);
      const Index end = place_of_block() + c;
      for (Index t = group_.rank(); t < count; t += kThreads) {
        const Index place = locate(pattern_.row_idx[first + t], t, end - (count - t) + 1);
        if (place >= 0) __stcg(values_ + first + t, column(c)[place]);
      }
    }
  }

  const SupernodeProblem<T>& problem_;
  const FactorPattern& pattern_;
  T* values_;
  Group group_;
  SupernodeScratch<T>& scratch_;
  SourceStep* steps_;
  Index supernode_, begin_;
  int width_;
  Index below_, positions_;
  Index place_ = 0;
  SupernodeWork<T> work_;
};

}  // namespace lufact::gpu
