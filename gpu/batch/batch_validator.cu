// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/batch/batch_validator.hpp"
#include "gpu/batch/warp_validator.cuh"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

// Shared memory that a block takes where it has several warps.
constexpr std::size_t block_bytes = std::size_t{48} << 10;
constexpr int most_warps = 8;

template <class Real>
__global__ void validate_kernel(BatchResults results, bool own_result, Offset first, Offset count,
                                PackedVerdict* verdicts) {
  extern __shared__ double shared[];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const Offset warps = blockDim.x / warp_size;
  const Offset matrix = blockIdx.x * warps + warp;
  if (matrix >= count) return;
  double* const own_part = shared + warp * 2 * SharedMatrix::size(results.source.n);
  WarpValidator<Real> validator(results, own_part, first + matrix, lane);
  const PackedVerdict verdict = validator.judge(own_result);
  if (lane == 0) verdicts[matrix] = verdict;
}

template <class Real>
void launch_validation(DeviceSession& session, const BatchResults& results, bool own_result,
                       Offset first, Offset count, PackedVerdict* verdicts) {
  const Index n = results.source.n;
  const std::size_t warp_bytes =
      2 * static_cast<std::size_t>(SharedMatrix::size(n)) * sizeof(double);
  const int warps =
      static_cast<int>(std::clamp<std::size_t>(block_bytes / warp_bytes, 1, most_warps));
  const std::size_t bytes = warp_bytes * static_cast<std::size_t>(warps);
  if (bytes > block_bytes) {
    LUFACT_CUDA(cudaFuncSetAttribute(validate_kernel<Real>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(bytes)));
  }
  launch(session, {ceil_div(count, warps), warps * warp_size, bytes}, validate_kernel<Real>,
         results, own_result, first, count, verdicts);
}

DeviceVerdict unpacked(const PackedVerdict& packed) {
  DeviceVerdict device;
  device.verdict.nonfinite = packed.nonfinite != 0;
  device.verdict.error = packed.error;
  device.verdict.wrong_info = packed.wrong_info != 0;
  device.verdict.wrong_not_nan = packed.wrong_not_nan != 0;
  switch (packed.pivots) {
    case static_cast<int>(ReplayedPivots::equal):
      device.verdict.pivots = PivotVerdict::equal;
      break;
    case static_cast<int>(ReplayedPivots::tied):
      device.verdict.pivots = PivotVerdict::tied;
      break;
    case static_cast<int>(ReplayedPivots::different):
      device.verdict.pivots = PivotVerdict::different;
      break;
    default:
      break;
  }
  device.info = packed.info;
  device.result_nonfinite = packed.result_nonfinite != 0;
  return device;
}

}  // namespace

std::vector<DeviceVerdict> validate_on_device(DeviceSession& session, const BatchResults& results,
                                              bool own_result, Offset first, Offset count) {
  Buffer<PackedVerdict> packed(session, MemoryRole::scratch, count,
                               "the verdicts on matrices of a batch");
  if (results.values.precision == Precision::float32) {
    launch_validation<float>(session, results, own_result, first, count, packed.data());
  } else {
    launch_validation<double>(session, results, own_result, first, count, packed.data());
  }
  std::vector<DeviceVerdict> verdicts;
  verdicts.reserve(at(count));
  for (const PackedVerdict& verdict : packed.download()) verdicts.push_back(unpacked(verdict));
  return verdicts;
}

}  // namespace lufact::gpu
