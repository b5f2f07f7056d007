// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/components/double_mma.cuh"
#include "gpu/peaks/device_peaks.hpp"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 256;
constexpr int blocks_per_multiprocessor = 8;

// Sums of a thread, enough to hide how long an operation takes; two vectors of 16 bytes of a copy.
constexpr int thread_sums = 16, warp_sums = 4, copied_in_a_row = 4;
// One product of 16 x 8 by 8 x 8: 2 operations for each of its multiply-adds.
constexpr double tensor_product_flops = 2.0 * 16 * 8 * 8;

__global__ void copy_kernel(const double2* __restrict__ from, double2* __restrict__ to,
                            Offset count) {
  const Offset threads = static_cast<Offset>(gridDim.x) * blockDim.x;
  Offset k = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; k + (copied_in_a_row - 1) * threads < count; k += copied_in_a_row * threads) {
    double2 part[copied_in_a_row];
#pragma unroll
    for (int i = 0; i < copied_in_a_row; ++i) part[i] = from[k + i * threads];
#pragma unroll
    for (int i = 0; i < copied_in_a_row; ++i) to[k + i * threads] = part[i];
  }
  for (; k < count; k += threads) to[k] = from[k];
}

// Sums come near to a fixed point of x = x / 2 + 1 / 2. One that is negative, which none is, would
// be written: else there would be nothing to compute.
template <class T>
__global__ void multiply_add_kernel(int rounds, T factor, T* never_written) {
  T sum[thread_sums];
#pragma unroll
  for (int k = 0; k < thread_sums; ++k) sum[k] = factor * static_cast<T>(threadIdx.x + k);
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < thread_sums; ++k) sum[k] = sum[k] * factor + factor;
  }
  T all = 0;
#pragma unroll
  for (int k = 0; k < thread_sums; ++k) all += sum[k];
  if (all < 0) *never_written = all;
}

// The same by products of small matrices, on the tensor cores: a zero factor, so that sums stay
// what they are.
__global__ void tensor_kernel(int rounds, double factor, double* never_written) {
#ifdef LUFACT_DOUBLE_TENSOR_CORES
  double top[warp_sums][2], bottom[warp_sums][2];
  const double left[4] = {factor, factor, factor, factor}, right[2] = {factor, factor};
#pragma unroll
  for (int k = 0; k < warp_sums; ++k) {
    top[k][0] = top[k][1] = bottom[k][0] = bottom[k][1] = static_cast<double>(threadIdx.x + k);
  }
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < warp_sums; ++k) multiply_16x8x8(top[k], bottom[k], left, right);
  }
  double all = 0;
#pragma unroll
  for (int k = 0; k < warp_sums; ++k) all += top[k][0] + top[k][1] + bottom[k][0] + bottom[k][1];
  if (all < 0) *never_written = all;
#endif
}

// Whether the code compiled for this device has tensor_kernel's products.
bool has_double_tensor_cores() {
  cudaFuncAttributes attributes{};
  LUFACT_CUDA(cudaFuncGetAttributes(&attributes, tensor_kernel));
  return attributes.ptxVersion >= 80;
}

class PeakMeasurement {
 public:
  PeakMeasurement(DeviceSession& session, const DevicePeakSettings& settings)
      : session_(session),
        settings_(settings),
        blocks_(Offset{blocks_per_multiprocessor} * session.sm_count()) {}

  double copy_bytes_per_s() {
    const std::uint64_t quarter = session_.ledger().available() / 4;
    const auto count =
        static_cast<Offset>(std::min(settings_.copied_bytes, quarter) / sizeof(double2));
    Buffer<double2> from(session_, MemoryRole::scratch, count, "the source of a measured copy");
    Buffer<double2> to(session_, MemoryRole::scratch, count, "the target of a measured copy");
    from.fill_bytes(0);
    return 2.0 * static_cast<double>(from.bytes()) / best_seconds([&] {
             launch(session_, {blocks_, block_threads}, copy_kernel,
                    static_cast<const double2*>(from.data()), to.data(), count);
           });
  }

  template <class T>
  double multiply_adds_per_s() {
    constexpr int rounds = 32768;
    Buffer<T> unused(session_, MemoryRole::scratch, 1, "a sum that is not written");
    const double flops = 2.0 * thread_sums * rounds * static_cast<double>(blocks_) * block_threads;
    return flops / best_seconds([&] {
             launch(session_, {blocks_, block_threads}, multiply_add_kernel<T>, rounds, T(0.5),
                    unused.data());
           });
  }

  // Zero without tensor cores.
  double tensor_flops_per_s() {
    if (!has_double_tensor_cores()) return 0;
    constexpr int rounds = 8192;
    Buffer<double> unused(session_, MemoryRole::scratch, 1, "a sum that is not written");
    const double warps = static_cast<double>(blocks_) * (block_threads / warp_size);
    const double flops = tensor_product_flops * warp_sums * rounds * warps;
    return flops / best_seconds([&] {
             launch(session_, {blocks_, block_threads}, tensor_kernel, rounds, 0.0, unused.data());
           });
  }

 private:
  // By marks on the stream, after one round for the clocks.
  template <class Work>
  double best_seconds(const Work& work) {
    DeviceProbe& probe = session_.probe();
    work();
    session_.synchronize();
    double best = 0;
    for (int k = 0; k < settings_.rounds; ++k) {
      const DeviceProbe::Mark begin = probe.mark();
      work();
      const DeviceProbe::Mark end = probe.mark();
      session_.synchronize();
      const double seconds = probe.seconds_between(begin, end);
      probe.release_marks();
      if (k == 0 || seconds < best) best = seconds;
    }
    return best;
  }

  DeviceSession& session_;
  const DevicePeakSettings& settings_;
  Offset blocks_;
};

}  // namespace

DevicePeaks measure_device_peaks(DeviceSession& session, const DevicePeakSettings& settings) {
  PeakMeasurement measurement(session, settings);
  DevicePeaks peaks;
  peaks.copy_bytes_per_s = measurement.copy_bytes_per_s();
  peaks.fp64_flops_per_s =
      std::max(measurement.multiply_adds_per_s<double>(), measurement.tensor_flops_per_s());
  peaks.fp32_flops_per_s = measurement.multiply_adds_per_s<float>();
  return peaks;
}

}  // namespace lufact::gpu
