// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/solve/sync_free.cuh"
#include "gpu/solve/triangular_rows.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr int block_columns = 4;  // right-hand sides that one sweep carries

// One warp per row, rows drawn in order. A flag holds 1 once its row of y = L \\ b is written, 2
// once that of x = U \\ y is.
template <Triangle triangle, int Columns, class T>
__global__ void sync_free_kernel(RowFactors<T> factors, SyncRef sync, RhsRef rhs) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  constexpr unsigned done = triangle == Triangle::lower ? 1 : 2;
  for (;;) {
    const Index row = draw_row<triangle>(sync, factors.n, lane);
    if (row < 0) return;
    solve_row<triangle, Columns>(factors, row, rhs, lane,
                                 [&](Index j) { wait_for(sync, j, done); });
    // Lane 0 wrote the row, so its release alone publishes it.
    if (lane == 0) publish(sync, row, done);
    __syncwarp();
  }
}

template <Triangle triangle, int Columns, class T>
void sweep(DeviceSession& session, const RowFactors<T>& factors, unsigned* words,
           const RhsRef& rhs) {
  launch(session, sweep_shape(session, factors.n, threads), sync_free_kernel<triangle, Columns, T>,
         factors, sync_ref(words, factors.n, triangle), rhs);
}

template <int Columns, class T>
void solve_pass(DeviceSession& session, const RowFactors<T>& factors, unsigned* words,
                const RhsRef& rhs) {
  LUFACT_CUDA(cudaMemsetAsync(words, 0, checked_bytes(sync_words(factors.n), sizeof(unsigned)),
                              session.stream()));
  sweep<Triangle::lower, Columns>(session, factors, words, rhs);
  sweep<Triangle::upper, Columns>(session, factors, words, rhs);
}

}  // namespace

template <class T>
void sync_free_solve(DeviceSession& session, const RowFactors<T>& factors, unsigned* words,
                     double* x, Index columns) {
  const Offset n = factors.n;
  for (Index c = 0; c < columns; c += block_columns) {
    const int count = std::min(block_columns, columns - c);
    const RhsRef rhs{x + c * n, n, count};
    if (count == 1) {
      solve_pass<1>(session, factors, words, rhs);
    } else {
      solve_pass<block_columns>(session, factors, words, rhs);
    }
  }
}

template void sync_free_solve(DeviceSession&, const RowFactors<float>&, unsigned*, double*, Index);
template void sync_free_solve(DeviceSession&, const RowFactors<double>&, unsigned*, double*, Index);

}  // namespace lufact::gpu
