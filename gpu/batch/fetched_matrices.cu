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
  if (targets.info != nullptr && threadIdx.x == 0) targets.info[chosen] = results.info[k];
}

template <class Real>
__global__ void fetch_kernel(BatchResults results, FetchTargets targets) {
  const Offset chosen = blockIdx.x, k = targets.matrices[chosen];
  fetch_input<Real>(results, targets, chosen, k);
  fetch_results<Real>(results, targets, chosen, k);
}

constexpr const char* what = "chosen matrices of a batch";

// One part on its way: room on the device for what is to come to `place`.
template <class T>
class FetchedPart {
 public:
  FetchedPart(DeviceSession& session, std::span<T> place)
      : place_(place),
        buffer_(session, MemoryRole::scratch, static_cast<Offset>(place.size()), what) {}

  T* data() noexcept { return buffer_.data(); }
  void download() const { buffer_.download(place_); }

 private:
  std::span<T> place_;
  Buffer<T> buffer_;
};

}  // namespace

void fetch_matrices(DeviceSession& session, const BatchResults& results,
                    std::span<const Offset> matrices, const FetchedPlaces& places) {
  const auto chosen = upload_copy(session, MemoryRole::scratch, matrices, what);
  FetchedPart<double> a(session, places.a), b(session, places.b), values(session, places.values);
  FetchedPart<std::int32_t> pivots(session, places.pivots), info(session, places.info);
  const FetchTargets targets{chosen.data(), a.data(),      b.data(),
                             values.data(), pivots.data(), info.data()};
  const auto count = static_cast<Offset>(matrices.size());
  if (results.values.precision == Precision::float32) {
    launch(session, {count, 128}, fetch_kernel<float>, results, targets);
  } else {
    launch(session, {count, 128}, fetch_kernel<double>, results, targets);
  }
  a.download();
  b.download();
  values.download();
  pivots.download();
  info.download();
}

FetchedMatrices fetch_matrices(DeviceSession& session, const BatchResults& results,
                               std::span<const Offset> matrices) {
  const std::size_t count = matrices.size(), n = at(results.source.n);
  const std::size_t columns = at(results.values.columns);
  FetchedMatrices fetched;
  fetched.a.resize(count * n * n);
  if (results.operation == ArrayOperation::solve) fetched.b.resize(count * n * columns);
  fetched.values.resize(count * n * columns);
  if (results.pivots != nullptr) fetched.pivots.resize(count * n);
  fetched.info.resize(count);
  fetch_matrices(session, results, matrices,
                 {fetched.a, fetched.b, fetched.values, fetched.pivots, fetched.info});
  return fetched;
}

}  // namespace lufact::gpu
