// SPDX-License-Identifier: BSD-3-Clause
// bench_front_times ORDERING REPETITIONS MATRIX...: what the blocks of gpu-multifrontal's kernel do
// in refactorizations in double precision with pivots in a block, as tab-separated lines: matrix,
// kind of task, how many, what was done, its share of all blocks' time in percent, and microseconds
// a task at the clock that the device says it has at most. A first line of each matrix has the
// milliseconds of a refactorization with the watch and without, the blocks of a kernel, and the
// mean of their lives in milliseconds at that clock. MATRIX as for bench_multifrontal.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "gpu/fronts/bench/front_problems.hpp"
#include "gpu/fronts/bench/watched_kernel.hpp"
#include "gpu/runtime/check.hpp"
#include "gpu/test_support/stream_timer.hpp"

namespace lufact::gpu {
namespace {

constexpr std::array<const char*, task_kinds> kind_names{
    "warp front", "block front", "diagonal", "lent diagonal", "lower", "upper", "contribution"};
constexpr std::array<const char*, block_works> work_names{"ticket",   "assembly", "flags",
                                                          "copies",   "products", "elimination",
                                                          "diagonal", "division", "storing"};

double clock_mhz() {
  int device = 0, khz = 0;
  LUFACT_CUDA(cudaGetDevice(&device));
  LUFACT_CUDA(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device));
  return khz / 1e3;
}

void print(const std::string& name, const BlockTimes& times, double mhz) {
  double all = 0;
  for (const auto& of_kind : times.cycles) {
    for (const auto cycles : of_kind) all += static_cast<double>(cycles);
  }
  for (int kind = 0; kind < task_kinds; ++kind) {
    for (int work = 0; work < block_works; ++work) {
      const auto cycles = static_cast<double>(times.cycles[kind][work]);
      if (cycles == 0) continue;
      const auto tasks = static_cast<double>(times.tasks[kind]);
      fmt::print("{}\t{}\t{}\t{}\t{:.2f}\t{:.3f}\n", name,
                 kind_names[static_cast<std::size_t>(kind)], times.tasks[kind],
                 work_names[static_cast<std::size_t>(work)], 100 * cycles / all,
                 cycles / tasks / mhz);
    }
  }
  std::fflush(stdout);
}

void run(const std::string& ordering, int repetitions, const std::vector<std::string>& matrices) {
  DeviceSession session(SessionOptions{});
  FrontProblems problems(session, Pivoting::diagonal_block);
  const StreamTimer timer;
  const double mhz = clock_mhz();
  for (const std::string& word : matrices) {
    const NamedMatrix given = load_matrix(word);
    const FactoredFronts fronts = problems.factor(given.matrix, ordering);
    const auto milliseconds = [&] {
      double us = 0;
      for (int k = 0; k < repetitions; ++k) {
        us += timer.time(session,
                         [&] { fronts.factors->refactor(fronts.device_b, problems.context()); });
      }
      return us / repetitions / 1e3;
    };
    const double plain = milliseconds();
    watch(*fronts.factors);
    take_block_times(session);
    const double watched = milliseconds();
    const BlockTimes times = take_block_times(session);
    fmt::print("{}\t{:.3f}\t{:.3f}\t{}\t{:.3f}\n", given.name, watched, plain,
               times.blocks / static_cast<unsigned>(repetitions),
               static_cast<double>(times.lives) / static_cast<double>(times.blocks) / mhz / 1e3);
    print(given.name, times, mhz);
  }
}

}  // namespace
}  // namespace lufact::gpu

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) {
    fmt::print(stderr, "usage: bench_front_times ORDERING REPETITIONS MATRIX...\n");
    return 2;
  }
  try {
    lufact::gpu::run(words[0], std::stoi(words[1]), {words.begin() + 2, words.end()});
  } catch (const lufact::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
