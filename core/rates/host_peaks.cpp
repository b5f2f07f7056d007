// SPDX-License-Identifier: BSD-3-Clause
#include "core/rates/host_peaks.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>

namespace lufact {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// As many sums as hide how long a multiply-add takes: 4 or 5 cycles, two begun in each.
constexpr int sums = 12;

using Vector16 [[gnu::vector_size(16)]] = double;
using Vector32 [[gnu::vector_size(32)]] = double;
using Vector64 [[gnu::vector_size(64)]] = double;

// `rounds` multiply-adds of each of `sums` vectors. The vectors come near to a fixed point, so that
// no number grows or becomes denormal.
template <class Vector>
[[gnu::always_inline]] inline double multiply_and_add(std::int64_t rounds, double factor) {
  Vector sum[sums], multiplier = {};
  multiplier = multiplier + factor;
  for (int k = 0; k < sums; ++k) sum[k] = multiplier * static_cast<double>(k);
  for (std::int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (int k = 0; k < sums; ++k) sum[k] = sum[k] * multiplier + multiplier;
  }
  double all = 0;
  for (int k = 0; k < sums; ++k) {
    for (std::size_t i = 0; i < sizeof(Vector) / sizeof(double); ++i) all += sum[k][i];
  }
  return all;
}

struct Kernel {
  double (*run)(std::int64_t rounds, double factor);
  int vector_bytes;
};

double run_16(std::int64_t rounds, double factor) {
  return multiply_and_add<Vector16>(rounds, factor);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] double run_32(std::int64_t rounds, double factor) {
  return multiply_and_add<Vector32>(rounds, factor);
}
[[gnu::target("avx512f")]] double run_64(std::int64_t rounds, double factor) {
  return multiply_and_add<Vector64>(rounds, factor);
}

Kernel widest_kernel() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return {run_64, 64};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {run_32, 32};
  return {run_16, 16};
}
#else
Kernel widest_kernel() {
  return {run_16, 16};
}
#endif

// Seconds from when all threads begin until the last is done.
template <class Work>
double seconds_together(int threads, const Work& work) {
  double seconds = 0;
#pragma omp parallel num_threads(threads) reduction(max : seconds)
  {
#pragma omp barrier
    const Clock::time_point begin = Clock::now();
    work(omp_get_thread_num());
    seconds = seconds_since(begin);
  }
  return seconds;
}

// The threads that OpenMP gives where `wanted` are asked for.
int team_size(int wanted) {
  int size = 1;
#pragma omp parallel num_threads(wanted)
#pragma omp single
  size = omp_get_num_threads();
  return size;
}

double product_rate(const HostPeakSettings& settings, int threads) {
  const Kernel kernel = widest_kernel();
  volatile double factor = 0.5;
  std::atomic<double> result = 0;  // else there would be nothing to compute
  const auto seconds_of = [&](std::int64_t rounds) {
    return seconds_together(
        threads, [&](int) { result.store(kernel.run(rounds, factor), std::memory_order_relaxed); });
  };
  constexpr std::int64_t few = 100'000;
  seconds_of(few);  // threads start, clocks rise
  const double scale = settings.round_s / std::max(seconds_of(few), 1e-9);
  const auto rounds = std::max(few, static_cast<std::int64_t>(static_cast<double>(few) * scale));
  const double flops = 2.0 * sums * static_cast<double>(rounds) * threads *
                       (kernel.vector_bytes / static_cast<int>(sizeof(double)));
  double best = 0;
  for (int k = 0; k < settings.rounds; ++k) best = std::max(best, flops / seconds_of(rounds));
  return best;
}

double copy_rate(const HostPeakSettings& settings, int threads) {
  const std::size_t part = settings.copied_bytes / static_cast<std::size_t>(threads);
  const std::size_t bytes = part * static_cast<std::size_t>(threads);
  const auto from = std::make_unique_for_overwrite<char[]>(bytes);
  const auto to = std::make_unique_for_overwrite<char[]>(bytes);
  const auto offset = [part](int thread) { return part * static_cast<std::size_t>(thread); };
  // Pages lie with the thread that touches them first.
  seconds_together(threads, [&](int thread) {
    std::memset(from.get() + offset(thread), 1, part);
    std::memset(to.get() + offset(thread), 2, part);
  });
  double best = 0;
  for (int k = 0; k < settings.rounds; ++k) {
    const double seconds = seconds_together(threads, [&](int thread) {
      std::memcpy(to.get() + offset(thread), from.get() + offset(thread), part);
    });
    best = std::max(best, 2.0 * static_cast<double>(bytes) / seconds);
  }
  return best;
}

}  // namespace

HostPeaks measure_host_peaks(const HostPeakSettings& settings) {
  const int threads = team_size(settings.threads);
  HostPeaks peaks;
  peaks.threads = threads;
  peaks.fp64_flops_per_s = product_rate(settings, threads);
  peaks.copy_bytes_per_s = copy_rate(settings, threads);
  return peaks;
}

}  // namespace lufact
