// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/launch_seconds.hpp"

#include <algorithm>
#include <vector>

#include "gpu/runtime/check.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {
namespace {

class Stopwatch {
 public:
  Stopwatch() {
    LUFACT_CUDA(cudaEventCreate(&begin_));
    const cudaError_t status = cudaEventCreate(&end_);
    if (status == cudaSuccess) return;
    LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(begin_));
    LUFACT_CUDA(status);
  }
  ~Stopwatch() {
    LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(begin_));
    LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(end_));
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  // Seconds that the device takes for what `work` puts on the stream.
  template <class Work>
  double measure(cudaStream_t stream, const Work& work) {
    LUFACT_CUDA(cudaEventRecord(begin_, stream));
    work();
    LUFACT_CUDA(cudaEventRecord(end_, stream));
    LUFACT_CUDA(cudaEventSynchronize(end_));
    float milliseconds = 0;
    LUFACT_CUDA(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return double{milliseconds} * 1e-3;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace

double median_launch_seconds(DeviceSession& session, BatchArrays& arrays, PreparedArrays& work,
                             int repetitions) {
  Stopwatch watch;
  std::vector<double> seconds;
  for (int i = 0; i <= repetitions; ++i) {
    arrays.restore();
    const double taken = watch.measure(
        session.stream(), [&] { work.run(arrays.operands(), arrays.problem().count); });
    if (i > 0) seconds.push_back(taken);
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

}  // namespace lufact::gpu
