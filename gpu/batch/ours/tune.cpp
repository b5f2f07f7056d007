// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/batch/ours/ours_launch.hpp"
#include "gpu/batch/tuning.hpp"
#include "gpu/runtime/check.hpp"

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

double median_seconds(DeviceSession& session, BatchArrays& arrays, ours::OursLaunch& launch,
                      int repetitions, Stopwatch& watch) {
  std::vector<double> seconds;
  for (int i = 0; i <= repetitions; ++i) {
    arrays.restore();
    const double taken = watch.measure(
        session.stream(), [&] { launch.run(arrays.operands(), arrays.problem().count); });
    if (i > 0) seconds.push_back(taken);  // the first is for warming up
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

}  // namespace

std::vector<TunedCandidate> tune_batch(DeviceSession& session, BatchArrays& arrays,
                                       int repetitions) {
  const ArrayProblem& problem = arrays.problem();
  std::vector<TunedCandidate> candidates;
  Stopwatch watch;
  for (const ours::LaneLayout& layout : ours::lane_layouts(problem.precision, problem.order())) {
    int last = 0;
    for (const int warps : {1, 2, ours::most_warps_per_block}) {
      ours::OursLaunch launch(session, problem, layout, warps);
      if (launch.matrices_per_block() == last) continue;  // no room for more
      last = launch.matrices_per_block();
      candidates.push_back({problem.operation, problem.precision, problem.layout, problem.order(),
                            problem.rhs, layout.name(), last, problem.count,
                            median_seconds(session, arrays, launch, repetitions, watch)});
    }
  }
  std::ranges::sort(candidates, {}, &TunedCandidate::median_s);
  return candidates;
}

}  // namespace lufact::gpu
