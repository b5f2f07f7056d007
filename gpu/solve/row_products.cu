// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/runtime/launch.cuh"
#include "gpu/solve/row_product.cuh"
#include "gpu/solve/row_products.hpp"

namespace lufact::gpu {
namespace {

constexpr int threads = row_product_threads;
constexpr int warps = threads / warp_size;
// Vectors that are multiplied together where there are more than one: entries of the matrix come
// once for them.
constexpr int several = 4;
constexpr Offset fewest_groups = 4;  // of blocks that share more vectors
// Blocks of each multiprocessor, few enough for threads to have registers for their loads. No more
// blocks than fit at a time, since each has norms to pass on.
template <int together>
constexpr int most_blocks = together == 1 ? 4 : 2;
static_assert(threads >= error_columns * ColumnNorms::count);

// y = B x. What becomes of the product with row `place % n` for vector c; `place` is that of the
// entry in a block of vectors.
struct Products {
  double* y;

  struct Entry {};
  __device__ void begin(Index) const {}
  __device__ Entry load(bool, Offset) const { return {}; }
  // By a whole warp; `mine`: this thread has the product.
  __device__ void store(bool mine, Index, Offset place, const Entry&, double product) const {
    if (mine) y[place] = product;
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
  __device__ void store(bool mine, Index c, Offset place, const Entry& entry,
                        double product) const {
    const double residual = entry.b - product;
    if (mine) r[place] = residual;
    BackwardError::raise(c, {{mine ? magnitude_bits(residual) : 0, magnitude_bits(entry.x),
                              magnitude_bits(entry.b)}});
  }
  __device__ void finish(Index columns) const { error.finish(columns); }
};

// Groups of blocks share the vectors, the blocks of a group the tiles.
template <int together>
struct BlockShare {
  unsigned block, blocks;  // of the group
  VectorShare vectors;

  __device__ explicit BlockShare(unsigned groups) : block(blockIdx.x), blocks(gridDim.x) {
    if constexpr (together > 1) {
      blocks /= groups;
      block %= blocks;
      vectors = {static_cast<Index>(blockIdx.x / blocks) * together,
                 static_cast<Index>(groups) * together};
    }
  }
};

// The tiles of a block are far apart: rows of many entries often are neighbours.
template <int Lanes, int together, class Use>
__global__ void __launch_bounds__(threads, most_blocks<together>)
    product_kernel(RowProduct<Use> product, unsigned groups) {
  constexpr unsigned rows = RowTile<Lanes>::rows;
  const unsigned tiles = (product.matrix.n + rows - 1) / rows;
  const unsigned warp = threadIdx.x / warp_size;
  const BlockShare<together> share(groups);
  let_next_start();
  product.use.begin(product.columns);
  wait_for_previous();
  for (unsigned first = share.block; first < tiles; first += warps * share.blocks) {
    product.template take_tile<Lanes, together>(first + warp * share.blocks, share.vectors);
  }
  __syncthreads();
  product.use.finish(product.columns);
}

// A warp for each tile, or as many as fit; few tiles still are spread over all multiprocessors, and
// vectors over the blocks that fit besides, at least over some, since a row of very many entries is
// one block's.
template <int Lanes, int together, class Use>
void launch_together(DeviceSession& session, const RowProduct<Use>& product) {
  const Offset tiles = ceil_div(product.matrix.n, RowTile<Lanes>::rows);
  const Offset processors = session.sm_count(), most = most_blocks<together> * processors;
  const Offset wanted = std::clamp(ceil_div(tiles, warps), std::min(tiles, processors), most);
  const Offset shares = ceil_div(product.columns, together);
  const Offset groups = std::clamp(most / wanted, std::min(fewest_groups, shares), shares);
  const Offset blocks = std::clamp<Offset>(most / groups, 1, wanted);
  launch_early(session, {blocks * groups, threads}, product_kernel<Lanes, together, Use>, product,
               static_cast<unsigned>(groups));
}
template <int Lanes, class Use>
void launch_product(DeviceSession& session, const RowProduct<Use>& product) {
  product.columns == 1 ? launch_together<Lanes, 1>(session, product)
                       : launch_together<Lanes, several>(session, product);
}

template <class Use>
void row_products(DeviceSession& session, const MatrixRows& matrix, const double* x, Index columns,
                  const Use& use) {
  const RowProduct<Use> product{matrix.pattern, matrix.values, x, columns, use};
  const Offset n = matrix.pattern.n;
  if (matrix.nnz <= 6 * n) {
    launch_product<4>(session, product);
  } else if (matrix.nnz <= 24 * n) {
    launch_product<8>(session, product);
  } else {
    launch_product<warp_size>(session, product);
  }
}

}  // namespace

void multiply_rows(DeviceSession& session, const MatrixRows& matrix, const double* x, double* y,
                   Index columns) {
  row_products(session, matrix, x, columns, Products{y});
}

ResidualRows::ResidualRows(DeviceSession& session)
    : session_(session), tally_(session, MemoryRole::resident, 1, "norms of residuals") {
  tally_.fill_bytes(0);
}

// Of at most error_columns columns.
void ResidualRows::launch_one(const MatrixRows& matrix, double matrix_norm, const double* x,
                              const double* b, double* r, Index columns, double* error) {
  row_products(session_, matrix, x, columns,
               Residuals{b, x, r, BackwardError{tally_.data(), matrix_norm, error}});
}

double ResidualRows::run(const MatrixRows& matrix, double matrix_norm, const double* x,
                         const double* b, double* r, Index columns) {
  double worst = 0;
  if (matrix.pattern.n == 0) return worst;
  for (Index c = 0; c < columns; c += error_columns) {
    const Offset shift = Offset{c} * matrix.pattern.n;
    launch_one(matrix, matrix_norm, x + shift, b + shift, r + shift,
               std::min(columns - c, error_columns), control_place<double>(session_));
    worst = std::max(worst, take_value<double>(session_));
  }
  return worst;
}

void ResidualRows::queue(const MatrixRows& matrix, double matrix_norm, const double* x,
                         const double* b, double* r, Index columns) {
  queued_ = matrix.pattern.n == 0 ? 0 : ceil_div(columns, error_columns);
  if (errors_.size() < queued_) {
    errors_ = {session_, MemoryRole::resident, queued_, "backward errors", MemoryKind::pinned};
  }
  for (Offset k = 0; k < queued_; ++k) {
    const auto first = static_cast<Index>(k) * error_columns;
    const Offset shift = Offset{first} * matrix.pattern.n;
    launch_one(matrix, matrix_norm, x + shift, b + shift, r + shift,
               std::min(columns - first, error_columns), errors_.data() + k);
  }
}

double ResidualRows::take() {
  double worst = 0;
  for (Offset k = 0; k < queued_; ++k) {
    double error = 0;
    session_.take_control(&error, errors_.data() + k, sizeof error);
    worst = std::max(worst, error);
  }
  return worst;
}

}  // namespace lufact::gpu
