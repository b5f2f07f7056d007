// SPDX-License-Identifier: BSD-3-Clause
// bench_cpu_batch [THREADS [BYTES]]: LU, inversion and solve of a batch by the stage `cpu` beside a
// loop over LAPACK's getrf (and getri, getrs) on one thread a matrix; nanoseconds a matrix, the
// best of 5, for some orders and both precisions. BYTES (default 64 MiB) are those of the matrices.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/batch/cpu/cpu_batch.hpp"
#include "core/batch/host_batch_arrays.hpp"
#include "core/matrix/parallel.hpp"

extern "C" {
void dgetrf_(const int* m, const int* n, double* a, const int* ld, int* pivots, int* info);
void sgetrf_(const int* m, const int* n, float* a, const int* ld, int* pivots, int* info);
void dgetri_(const int* n, double* a, const int* ld, const int* pivots, double* work,
             const int* size, int* info);
void sgetri_(const int* n, float* a, const int* ld, const int* pivots, float* work, const int* size,
             int* info);
void dgetrs_(const char* form, const int* n, const int* rhs, const double* a, const int* ld,
             const int* pivots, double* b, const int* ldb, int* info);
void sgetrs_(const char* form, const int* n, const int* rhs, const float* a, const int* ld,
             const int* pivots, float* b, const int* ldb, int* info);
}

namespace lufact {
namespace {

void getrf(int n, double* a, int* pivots, int* info) {
  dgetrf_(&n, &n, a, &n, pivots, info);
}
void getrf(int n, float* a, int* pivots, int* info) {
  sgetrf_(&n, &n, a, &n, pivots, info);
}
void getri(int n, double* a, const int* pivots, double* work, int size) {
  int info = 0;
  dgetri_(&n, a, &n, pivots, work, &size, &info);
}
void getri(int n, float* a, const int* pivots, float* work, int size) {
  int info = 0;
  sgetri_(&n, a, &n, pivots, work, &size, &info);
}
void getrs(int n, int rhs, const double* a, const int* pivots, double* b) {
  int info = 0;
  dgetrs_("N", &n, &rhs, a, &n, pivots, b, &n, &info);
}
void getrs(int n, int rhs, const float* a, const int* pivots, float* b) {
  int info = 0;
  sgetrs_("N", &n, &rhs, a, &n, pivots, b, &n, &info);
}

template <class Real>
void lapack_loop(const ArrayProblem& problem, const ArrayOperands& operands, int threads) {
  constexpr Offset chunk = 512;
  const Index n = problem.rows;
  parallel_for((problem.count + chunk - 1) / chunk, threads, [&](Offset part) {
    std::vector<Real> work(64 * 64);
    const Offset end = std::min(problem.count, (part + 1) * chunk);
    for (Offset k = part * chunk; k < end; ++k) {
      Real* const a = static_cast<Real*>(operands.a) + k * n * n;
      std::int32_t* const pivots = operands.pivots + k * n;
      getrf(n, a, pivots, operands.info + k);
      if (problem.operation == ArrayOperation::inverse) getri(n, a, pivots, work.data(), 64 * 64);
      if (problem.operation == ArrayOperation::solve) {
        getrs(n, problem.rhs, a, pivots, static_cast<Real*>(operands.b) + k * n * problem.rhs);
      }
    }
  });
}

template <class Work>
double best_ns(HostBatchArrays& arrays, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 5; ++k) {
    arrays.restore();
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count());
  }
  return best / static_cast<double>(arrays.problem().count);
}

template <class Real>
void measure(ArrayProblem problem, int threads) {
  problem.precision = sizeof(Real) == 4 ? Precision::float32 : Precision::float64;
  auto arrays = make_host_batch_arrays(problem,
                                       {.n = problem.rows,
                                        .count = problem.count,
                                        .kind = BatchKind::random,
                                        .given = nullptr,
                                        .seed = 1},
                                       {.threads = threads});
  ArrayOptions options;
  options.threads = threads;
  std::vector<Choice> choices;
  std::vector<Warning> warnings;
  ArrayContext context{options, choices, warnings};
  const auto stage = make_cpu_batch()->prepare(problem, context);
  const double ours = best_ns(*arrays, [&] { stage->run(arrays->operands(), problem.count); });
  const double theirs =
      best_ns(*arrays, [&] { lapack_loop<Real>(problem, arrays->operands(), threads); });
  fmt::print("{:>8} {:>7} {:>3} {:>12.1f} {:>12.1f} {:>7.2f}\n", to_string(problem.operation),
             to_string(problem.precision), problem.rows, ours, theirs, theirs / ours);
  std::fflush(stdout);
}

}  // namespace
}  // namespace lufact

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const lufact::Offset bytes = argc > 2 ? std::atoll(argv[2]) : 64 << 20;
  fmt::print("{:>8} {:>7} {:>3} {:>12} {:>12} {:>7}\n", "", "", "n", "cpu ns", "LAPACK ns",
             "ratio");
  using lufact::ArrayOperation;
  for (const auto operation :
       {ArrayOperation::lu, ArrayOperation::inverse, ArrayOperation::solve}) {
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 20, 24, 28, 31, 32, 48, 64}) {
      lufact::ArrayProblem problem;
      problem.operation = operation;
      problem.rows = problem.columns = problem.ld = n;
      problem.rhs = operation == ArrayOperation::solve ? 1 : 0;
      problem.count = bytes / (8 * n * n);
      lufact::measure<double>(problem, threads);
      lufact::measure<float>(problem, threads);
    }
  }
  return 0;
}
