// SPDX-License-Identifier: BSD-3-Clause
// bench_match FILE...: time of `mc64` beside `amd` on the matched matrix, medians of 5, one
// line per matrix. A matrix that cannot be read or matched says why and does not stop the rest.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <vector>

#include "core/base/error.hpp"
#include "core/match/mc64.hpp"
#include "core/matrix/reader.hpp"
#include "core/measure/statistics.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/permute/permute.hpp"

namespace {

constexpr int repetitions = 5;

template <class Work>
double median_ms(Work&& work) {
  std::vector<double> times;
  for (int k = 0; k < repetitions; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    times.push_back(time.count());
  }
  return lufact::summarize(times)->median;
}

void measure(const char* path) {
  const lufact::InputMatrix input = lufact::read_matrix(path, {});
  std::vector<lufact::Warning> warnings;
  lufact::Matching matching;
  const double mc64_ms = median_ms([&] { matching = lufact::mc64(input.matrix, false, warnings); });
  const lufact::CsrPattern pa = lufact::permuted_rows(input.matrix, matching.rows);
  const double amd_ms = median_ms([&] { lufact::amd_ordering(pa); });
  fmt::print("{:<28} {:>8} {:>9} {:>9.2f} {:>9.2f} {:>6.2f}\n", input.facts.name, input.facts.n,
             input.facts.nnz, mc64_ms, amd_ms, mc64_ms / amd_ms);
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("{:<28} {:>8} {:>9} {:>9} {:>9} {:>6}\n", "matrix", "n", "nnz", "mc64 ms", "amd ms",
             "ratio");
  for (int k = 1; k < argc; ++k) {
    try {
      measure(argv[k]);
    } catch (const lufact::Error& error) {
      fmt::print("{}: {}\n", argv[k], error.what());
    }
    std::fflush(stdout);
  }
  return 0;
}
