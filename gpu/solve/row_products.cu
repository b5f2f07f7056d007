// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cub/block/block_reduce.cuh>

#include "gpu/runtime/launch.cuh"
#include "gpu/solve/row_products.hpp"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
// Of a launch, for each multiprocessor: some waves, which even out what rows take. Beyond them
// blocks take several parts of the rows each, so that what is done once a block costs little.
constexpr Offset most_blocks = 32;
static_assert(threads >= error_columns * ColumnNorms::count);

// The sum over a group of `Lanes` neighbouring threads, in a fixed order; the whole warp calls it.
template <int Lanes>
__device__ double group_sum(double value) {
  for (int offset = Lanes / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffU, value, offset);
  }
  return value;
}

using BlockReduce = cub::BlockReduce<double, threads>;

// Entries of a row that a thread loads at a time.
constexpr int batch = 4;
// Entries from which on a row is summed by a whole block.
template <int Lanes>
constexpr Offset long_row = 32 * Lanes;

// y = B x. What becomes of the product with row `place % n` for vector c; `place` is that of the
// entry in a block of vectors.
struct Products {
  double* y;

  struct Entry {};
  __device__ void begin(Index) const {}
  __device__ Entry load(bool, Offset) const { return {}; }
  // By a whole warp; `mine`: this thread has the product. At most every `Lanes`-th does.
  template <int Lanes>
  __device__ void store(bool mine, Index c, Offset place, const Entry& entry,
                        double product) const {
    if (mine) store(c, place, entry, product);
  }
  __device__ void store(Index, Offset place, const Entry&, double product) const {
    y[place] = product;
  }
  __device__ void finish(Index) const {}
};

// r = b - B x, and the backward error. The same functions as those of Products.
struct Residuals {
  const double *b, *x;
  double* r;
  BackwardError error;

  struct Entry {
    double b = 0, x = 0;
  };
  __device__ void begin(Index columns) const { BackwardError::begin(columns); }
  __device__ Entry load(bool mine, Offset place) const {
    return mine ? Entry{b[place], x[place]} : Entry{};
  }
  template <int Lanes>
  __device__ void store(bool mine, Index c, Offset place, const Entry& entry,
                        double product) const {
    ColumnNorms norms = {};
    if (mine) norms = stored(place, entry, product);
    for (unsigned long long& norm : norms.of) norm = warp_largest(norm);
    if (threadIdx.x % warp_size == 0) BackwardError::raise(c, norms);
  }
  __device__ void store(Index c, Offset place, const Entry& entry, double product) const {
    BackwardError::raise(c, stored(place, entry, product));
  }
  __device__ void finish(Index columns) const { error.finish(columns); }

  __device__ ColumnNorms stored(Offset place, const Entry& entry, double product) const {
    const double residual = entry.b - product;
    r[place] = residual;
    return {{magnitude_bits(residual), magnitude_bits(entry.x), magnitude_bits(entry.b)}};
  }
};

template <class Use>
struct RowProduct {
  PatternRef matrix;
  const double *values, *x;
  Index columns;
  Use use;

  // This thread's share of the row times vector c, of `step` threads from the row's `first` entry.
  // Several entries are on their way at a time; where there are none, 0 is added to the sum.
  __device__ double part(Offset first, Offset end, int step, Offset shift) const {
    double sum = 0;
    for (Offset p = first; p < end; p += batch * step) {
      double value[batch] = {}, factor[batch] = {};
      Index column[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        column[k] = -1;
        if (p + k * step >= end) continue;
        column[k] = matrix.col_idx[p + k * step];
        value[k] = values[p + k * step];
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (column[k] >= 0) factor[k] = x[shift + column[k]];
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) sum += value[k] * factor[k];
    }
    return sum;
  }

  // By all threads of the block.
  __device__ void long_row_product(Offset row) const {
    __shared__ typename BlockReduce::TempStorage storage;
    for (Index c = 0; c < columns; ++c) {
      const Offset shift = c * static_cast<Offset>(matrix.n);
      const auto entry = use.load(threadIdx.x == 0, shift + row);
      const double mine =
          part(matrix.row_ptr[row] + threadIdx.x, matrix.row_ptr[row + 1], threads, shift);
      const double sum = BlockReduce(storage).Sum(mine);
      if (threadIdx.x == 0) use.store(c, shift + row, entry, sum);
      __syncthreads();
    }
  }

  // `Lanes` threads per row from row `begin` of the block, for all vectors in turn; then all
  // threads of the block for each of its long rows: a few lanes would take milliseconds for the row
  // of a supply net in a circuit. A barrier at the end.
  template <int Lanes>
  __device__ void block_of_rows(Offset begin) const {
    __shared__ Offset row_left[threads / Lanes];
    __shared__ int rows_left;
    if (threadIdx.x == 0) rows_left = 0;
    __syncthreads();
    const Offset row = begin + threadIdx.x / Lanes;
    const bool real = row < matrix.n;
    const Offset first = real ? matrix.row_ptr[row] : 0, end = real ? matrix.row_ptr[row + 1] : 0;
    const bool left = end - first > long_row<Lanes>, leader = threadIdx.x % Lanes == 0;
    if (left && leader) row_left[atomicAdd(&rows_left, 1)] = row;
    for (Index c = 0; c < columns; ++c) {
      const Offset shift = c * static_cast<Offset>(matrix.n);
      const bool mine = real && !left && leader;
      const auto entry = use.load(mine, shift + row);
      const double share = left ? 0.0 : part(first + threadIdx.x % Lanes, end, Lanes, shift);
      use.template store<Lanes>(mine, c, shift + row, entry, group_sum<Lanes>(share));
    }
    __syncthreads();
    for (int r = 0; r < rows_left; ++r) long_row_product(row_left[r]);
    __syncthreads();
  }
};

// Of as few blocks a multiprocessor, so that threads have registers for their batches.
template <int Lanes, class Use>
__global__ void __launch_bounds__(threads, 4) product_kernel(RowProduct<Use> product) {
  constexpr Offset rows = threads / Lanes;
  product.use.begin(product.columns);
  for (Offset begin = blockIdx.x * rows; begin < product.matrix.n; begin += gridDim.x * rows) {
    product.template block_of_rows<Lanes>(begin);
  }
  product.use.finish(product.columns);
}

template <int Lanes, class Use>
void launch_product(DeviceSession& session, const RowProduct<Use>& product) {
  const Offset needed = ceil_div(static_cast<Offset>(product.matrix.n) * Lanes, threads);
  launch(session, {std::min(needed, most_blocks * session.sm_count()), threads},
         product_kernel<Lanes, Use>, product);
}

template <class Use>
void row_products(DeviceSession& session, const DevicePermutedMatrix& matrix, const double* x,
                  Index columns, const Use& use) {
  const RowProduct<Use> product{matrix.pattern(), matrix.values.data(), x, columns, use};
  const Offset n = matrix.n;
  if (matrix.nnz <= 6 * n) {
    launch_product<4>(session, product);
  } else if (matrix.nnz <= 24 * n) {
    launch_product<8>(session, product);
  } else {
    launch_product<warp_size>(session, product);
  }
}

}  // namespace

void multiply_rows(DeviceSession& session, const DevicePermutedMatrix& matrix, const double* x,
                   double* y, Index columns) {
  row_products(session, matrix, x, columns, Products{y});
}

ResidualRows::ResidualRows(DeviceSession& session)
    : session_(session), tally_(session, MemoryRole::resident, 1, "norms of residuals") {
  tally_.fill_bytes(0);
}

double ResidualRows::run(const DevicePermutedMatrix& matrix, double matrix_norm, const double* x,
                         const double* b, double* r, Index columns) {
  double worst = 0;
  if (matrix.n == 0) return worst;
  for (Index c = 0; c < columns; c += error_columns) {
    const Offset shift = Offset{c} * matrix.n;
    const BackwardError error{tally_.data(), matrix_norm, control_place<double>(session_)};
    row_products(session_, matrix, x + shift, std::min(columns - c, error_columns),
                 Residuals{b + shift, x + shift, r + shift, error});
    worst = std::max(worst, take_value<double>(session_));
  }
  return worst;
}

}  // namespace lufact::gpu
