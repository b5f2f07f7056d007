// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/batch_places.cuh"
#include "gpu/batch/batch_source.cuh"
#include "gpu/batch/fetched_matrices.hpp"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

// Where entries of the chosen matrices go; null what is not wanted.
struct FetchTargets {
  const Offset* matrices;
  double *a, *b, *values;
  std::int32_t *pivots, *info;
};

template <class Real>
__device__ void fetch_input(const BatchResults& results, const FetchTargets& targets, Offset chosen,
                            Offset k) {
  const Index n = results.source.n, columns = results.values.columns;
  for (Index e = static_cast<Index>(threadIdx.x); targets.a != nullptr && e < n * n;
       e += static_cast<Index>(blockDim.x)) {
    targets.a[chosen * n * n + e] = source_entry<Real>(results.source, k, e % n, e / n);
  }
  for (Index e = static_cast<Index>(threadIdx.x); targets.b != nullptr && e < n * columns;
       e += static_cast<Index>(blockDim.x)) {
    targets.b[chosen * n * columns + e] = source_rhs<Real>(results.source, k, e % n, e / n);
  }
}

template <class Real>
__device__ void fetch_results(const BatchResults& results, const FetchTargets& targets,
                              Offset chosen, Offset k) {
  const Index n = results.source.n, columns = results.values.columns;
  for (Index e = static_cast<Index>(threadIdx.x); targets.values != nullptr && e < n * columns;
       e += static_cast<Index>(blockDim.x)) {
    targets.values[chosen * n * columns + e] = place_of<Real>(results.values, k, e % n, e / n);
  }
  for (Index i = static_cast<Index>(threadIdx.x); targets.pivots != nullptr && i < n;
       i += static_cast<Index>(blockDim.x)) {
    targets.pivots[chosen * n + i] = results.pivots[k * n + i];
  }
  if (threadIdx.x == 0) targets.info[chosen] = results.info[k];
}

template <class Real>
__global__ void fetch_kernel(BatchResults results, FetchTargets targets) {
  const Offset chosen = blockIdx.x, k = targets.matrices[chosen];
  fetch_input<Real>(results, targets, chosen, k);
  fetch_results<Real>(results, targets, chosen, k);
}

}  // namespace

FetchedMatrices fetch_matrices(DeviceSession& session, const BatchResults& results,
                               std::span<const Offset> matrices, const FetchedParts& parts) {
  const auto count = static_cast<Offset>(matrices.size());
  const Offset n = results.source.n, columns = results.values.columns;
  const bool right_hand_sides = parts.input && results.operation == ArrayOperation::solve;
  const char* const what = "chosen matrices of a batch";
  const auto chosen = upload_copy(session, MemoryRole::scratch, matrices, what);
  Buffer<double> a(session, MemoryRole::scratch, parts.input ? count * n * n : 0, what);
  Buffer<double> values(session, MemoryRole::scratch, parts.values ? count * n * columns : 0, what);
  Buffer<double> b(session, MemoryRole::scratch, right_hand_sides ? count * n * columns : 0, what);
  Buffer<std::int32_t> pivots(session, MemoryRole::scratch,
                              results.pivots != nullptr ? count * n : 0, what);
  Buffer<std::int32_t> info(session, MemoryRole::scratch, count, what);
  const FetchTargets targets{chosen.data(), a.data(),      b.data(),
                             values.data(), pivots.data(), info.data()};
  if (results.values.precision == Precision::float32) {
    launch(session, {count, 128}, fetch_kernel<float>, results, targets);
  } else {
    launch(session, {count, 128}, fetch_kernel<double>, results, targets);
  }
  return {a.download(), b.download(), values.download(), pivots.download(), info.download()};
}

}  // namespace lufact::gpu
