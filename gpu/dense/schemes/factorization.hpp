// SPDX-License-Identifier: BSD-3-Clause
// The interface of the schemes of "Parallel LU Decomposition on GP-GPU using CUDA" (Choudhury
// 2019), called DENSE here: LU without pivoting of a matrix by rows, in its place.
#pragma once
#include <algorithm>
#include <optional>

#include "gpu/dense/part.hpp"
#include "gpu/dense/schemes/row_matrix.hpp"

namespace lufact::gpu::schemes {

// What a factorization put on the device, and its largest grid.
struct SchemeCounts {
  Offset launches = 0, grid_barriers = 0, blocks = 0;
  int threads = 0;

  void add_grid(Offset grid, int grid_threads) {
    ++launches;
    blocks = std::max(blocks, grid);
    threads = std::max(threads, grid_threads);
  }
};

// The grid of a kernel whose blocks take rows, and its threads their columns, as the user asks.
struct GridRequest {
  std::optional<int> blocks, threads;

  // DENSE section 5: half of the order.
  Offset blocks_for(Index order) const { return blocks ? *blocks : std::max(1, order / 2); }
  // DENSE section 2: thread j takes column j; beyond 1024, columns j, j + 1024, ...
  int threads_for(Index columns) const {
    constexpr int most = 1024, warp = 32;
    return threads.value_or(columns >= most ? most : (columns + warp - 1) / warp * warp);
  }
};

template <class Real>
class Factorization {
 public:
  virtual ~Factorization() = default;
  // Throws Error{unsupported, "too_many_blocks"} where the grid that is asked for cannot factor a
  // matrix of this order and so many columns.
  virtual void check(Index, Index) const {}
  // Puts the work on the session's stream; the host waits where the scheme says so. Sub-phases of
  // `phases`, which may be null.
  virtual void factor(const RowMatrix<Real>& a, SchemeCounts& counts, PhaseRecorder* phases) = 0;
  // The grid barriers of factor() alone, with its grid and no work between them.
  virtual void run_barriers(const RowMatrix<Real>&) {}
};

}  // namespace lufact::gpu::schemes
