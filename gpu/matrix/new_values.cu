// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <stdexcept>

#include "gpu/components/magnitude.cuh"
#include "gpu/components/thread_group.cuh"
#include "gpu/matrix/new_values.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr int lanes = 8;  // neighbouring threads that share a row
constexpr int groups = threads / lanes;
constexpr int steps = norm_piece / lanes;
static_assert(norm_piece % lanes == 0 && warp_size % lanes == 0);
static_assert(groups == warp_size, "a warp counts the pieces of a block's long rows");

// Source is Index or Offset.
template <class Source>
struct Placement {
  PatternRef matrix;
  const Source* source;
  const double* values_of_a;
  const double *row_scale, *col_scale;
  double* values;

  __device__ double value_of(Source position) const {
    return position < 0 ? 0.0 : values_of_a[position];
  }

  // Places entries [begin, end) of a row, norm_piece at most, and returns in every lane of the
  // group the sum of their scaled magnitudes, added in order. The whole warp calls it. All that a
  // lane reads is on its way at a time.
  __device__ double place_piece(Offset row, Offset begin, Offset end) const {
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    double value[steps], scale[steps];
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      const Offset p = begin + k * lanes + lane;
      value[k] = p < end ? value_of(source[p]) : 0.0;
      scale[k] = p < end ? col_scale[matrix.col_idx[p]] : 0.0;
    }
    const double of_row = begin < end ? row_scale[row] : 0.0;
    double sum = 0;
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      const Offset first = begin + k * lanes;
      if (!__any_sync(full_warp, first < end)) break;
      const bool mine = first + lane < end;
      if (mine) values[first + lane] = value[k];
      // Rounded after each product and sum, as on the host.
      const double scaled = __dmul_rn(__dmul_rn(of_row, value[k]), scale[k]);
      const double term = mine ? fabs(scaled) : 0.0;
      for (int other = 0; other < lanes; ++other) {
        sum = __dadd_rn(sum, __shfl_sync(full_warp, term, other, lanes));
      }
    }
    return sum;
  }
};

// Sums that are NaN do not count.
__device__ unsigned long long sum_bits(double sum) {
  return isnan(sum) ? 0ULL : magnitude_bits(sum);
}

// The rows of a block that are longer than a piece, in shared memory. Rows of many entries often
// are neighbours, as they are eliminated last: the pieces of all of them are shared out among the
// groups of the block, since a row of a few pieces leaves most groups idle.
class LongRows {
 public:
  // By one thread, before a barrier.
  __device__ void clear() { count_ = 0; }
  __device__ void add(Offset row) { row_[atomicAdd(&count_, 1)] = row; }

  __device__ bool none() const { return count_ == 0; }

  // By the whole block after a barrier, ends with one: numbers the pieces of all rows.
  __device__ void count_pieces(const PatternRef& matrix) {
    const int r = static_cast<int>(threadIdx.x);
    if (r < warp_size) {
      const Offset own = r < count_ ? ceil_div(length(matrix, row_[r]), norm_piece) : 0;
      Offset up_to_here = own;
      for (int distance = 1; distance < warp_size; distance *= 2) {
        const Offset other = __shfl_up_sync(full_warp, up_to_here, distance);
        if (r >= distance) up_to_here += other;
      }
      first_[r] = up_to_here - own;
      if (r == warp_size - 1) first_[warp_size] = up_to_here;
    }
    __syncthreads();
  }

  __device__ Offset pieces() const { return first_[warp_size]; }

  struct Piece {
    Offset row = 0, begin = 0, end = 0;
  };
  __device__ Piece piece(const PatternRef& matrix, Offset number) const {
    if (number >= pieces()) return {};
    int low = 0, high = count_;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (first_[middle] <= number) {
        low = middle;
      } else {
        high = middle;
      }
    }
    const Offset row = row_[low], row_end = matrix.row_ptr[row + 1];
    const Offset begin = matrix.row_ptr[row] + (number - first_[low]) * norm_piece;
    return {row, begin, begin + norm_piece < row_end ? begin + norm_piece : row_end};
  }

  // What a group has found of its piece; by one of its lanes, a barrier before and after.
  __device__ void put(int group, double sum) { of_group_[group] = sum; }

  // Adds in order what the groups have found of row `threadIdx.x` of these to `total`, which stays
  // as it is where there is no such row; the first group has had piece `done`.
  __device__ double add_pieces(Offset done, double total) const {
    const int r = static_cast<int>(threadIdx.x);
    if (r >= count_) return total;
    const Offset first = first_[r] > done ? first_[r] : done;
    const Offset end = first_[r + 1] < done + groups ? first_[r + 1] : done + groups;
    for (Offset piece = first; piece < end; ++piece) {
      total = __dadd_rn(total, of_group_[piece - done]);
    }
    return total;
  }

 private:
  __device__ static Offset length(const PatternRef& matrix, Offset row) {
    return matrix.row_ptr[row + 1] - matrix.row_ptr[row];
  }

  Offset row_[groups];
  Offset first_[groups + 1];  // number of each row's first piece, then of all pieces
  double of_group_[groups];
  int count_;
};

// Places the long rows of a block, by all of its threads, and returns the sum of the row of this
// thread's number, 0 where there is none.
template <class Source>
__device__ double place_long_rows(const Placement<Source>& placement, LongRows& left) {
  if (left.none()) return 0;
  const int group = static_cast<int>(threadIdx.x) / lanes;
  left.count_pieces(placement.matrix);
  double total = 0;
  for (Offset done = 0; done < left.pieces(); done += groups) {
    const LongRows::Piece piece = left.piece(placement.matrix, done + group);
    const double sum = placement.place_piece(piece.row, piece.begin, piece.end);
    if (threadIdx.x % lanes == 0) left.put(group, sum);
    __syncthreads();
    total = left.add_pieces(done, total);
    __syncthreads();
  }
  return total;
}

// By one thread of each block once all threads of it have raised the norm, a barrier between: that
// of the last block puts the norm to `to` and leaves zeros in the words. The exchanges of
// `finished` are one release sequence, so that the last one sees what all blocks did before theirs.
__device__ void finish_block(PlacementWords& words, double* to) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> finished(words.finished);
  if (finished.fetch_add(1, cuda::memory_order_acq_rel) != gridDim.x - 1) return;
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> norm(words.norm);
  *to = __longlong_as_double(static_cast<long long>(norm.load(cuda::memory_order_relaxed)));
  norm.store(0, cuda::memory_order_relaxed);
  finished.store(0, cuda::memory_order_relaxed);
}

// `lanes` threads per row; then all threads of the block for its long rows. The norm goes to the
// host.
template <class Source>
__global__ void __launch_bounds__(threads)
    placement_kernel(Placement<Source> placement, PlacementWords* words, double* norm) {
  __shared__ LongRows long_rows;
  if (threadIdx.x == 0) long_rows.clear();
  __syncthreads();
  const PatternRef& matrix = placement.matrix;
  const Offset row = (blockIdx.x * static_cast<Offset>(threads) + threadIdx.x) / lanes;
  const bool real = row < matrix.n;
  const Offset begin = real ? matrix.row_ptr[row] : 0, end = real ? matrix.row_ptr[row + 1] : 0;
  const bool left = end - begin > norm_piece;
  if (left && threadIdx.x % lanes == 0) long_rows.add(row);
  unsigned long long largest = sum_bits(placement.place_piece(row, begin, left ? begin : end));
  __syncthreads();
  const unsigned long long of_long_row = sum_bits(place_long_rows(placement, long_rows));
  largest = warp_largest(largest < of_long_row ? of_long_row : largest);
  if (threadIdx.x % warp_size == 0) raise_to(&words->norm, largest);
  __syncthreads();
  if (threadIdx.x == 0) finish_block(*words, norm);
}

template <class Source>
void launch_placement(DeviceSession& session, const Source* source, const double* values_of_a,
                      const DevicePermutedMatrix& matrix) {
  launch(session, {ceil_div(static_cast<Offset>(matrix.n) * lanes, threads), threads},
         placement_kernel<Source>,
         Placement<Source>{matrix.pattern(), source, values_of_a, matrix.row_scale.data(),
                           matrix.col_scale.data(), matrix.values.data()},
         matrix.source.words->data(), control_place<double>(session));
}

Buffer<Index> upload_narrow(DeviceSession& session, std::span<const Offset> source) {
  Buffer<Index> narrow(session, MemoryRole::resident, static_cast<Offset>(source.size()),
                       "the sources of entries in A");
  session.copy_to_device(narrow.data(), narrow.bytes(),
                         [&](std::byte* stage, std::size_t first, std::size_t bytes) {
                           auto* const to = reinterpret_cast<Index*>(stage);
                           const Offset* const from = source.data() + first / sizeof(Index);
                           for (std::size_t k = 0; k < bytes / sizeof(Index); ++k) {
                             to[k] = static_cast<Index>(from[k]);
                           }
                         });
  return narrow;
}

}  // namespace

EntrySources upload_sources(DeviceSession& session, std::span<const Offset> source,
                            Offset entries_of_a) {
  EntrySources sources;
  if (entries_of_a <= std::numeric_limits<Index>::max()) {
    sources.narrow = upload_narrow(session, source);
  } else {
    sources.wide =
        upload_copy(session, MemoryRole::resident, source, "the sources of entries in A");
  }
  sources.words = std::make_shared<Buffer<PlacementWords>>(session, MemoryRole::resident, 1,
                                                           "what blocks share");
  sources.words->fill_bytes(0);
  return sources;
}

double place_new_values(DeviceSession& session, HostSpan<const double> values_of_a,
                        const DevicePermutedMatrix& matrix) {
  if (!matrix.source.words) throw std::logic_error("a matrix without its sources");
  if (matrix.n == 0) return 0;
  Buffer<double> given(session, MemoryRole::scratch,
                       static_cast<Offset>(values_of_a.entries.size()), "the new values of A");
  session.copy_to_device(given.data(), values_of_a);
  if (matrix.source.wide.size() > 0) {
    launch_placement(session, matrix.source.wide.data(), given.data(), matrix);
  } else {
    launch_placement(session, matrix.source.narrow.data(), given.data(), matrix);
  }
  return take_value<double>(session);
}

}  // namespace lufact::gpu
