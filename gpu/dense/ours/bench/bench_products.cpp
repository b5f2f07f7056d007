// SPDX-License-Identifier: BSD-3-Clause
// bench_products [--precision float|double] ROWS COLUMNS REPETITIONS DEPTH...: device time of
// C -= A B, in double unless told, by the product of `hybrid-tuned` and by cuBLAS's, by the depth
// of A and B. Tab-separated: the depth, then of each the median in microseconds and Tflop/s.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/measure/statistics.hpp"
#include "gpu/dense/ours/cublas_product.hpp"
#include "gpu/dense/ours/product.hpp"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/session.hpp"
#include "gpu/test_support/stream_timer.hpp"

namespace lufact::gpu::blocked {
namespace {

template <class T>
class Bench {
 public:
  Bench(DeviceSession& session, Index rows, Index columns, int repetitions)
      : session_(session),
        rows_(rows),
        columns_(columns),
        repetitions_(repetitions),
        cublas_(session, session.stream()) {}

  void run(Index depth) {
    const Buffer<T> left = random(Offset{rows_} * depth);
    const Buffer<T> right = random(Offset{depth} * columns_);
    Buffer<T> target = random(Offset{rows_} * columns_);
    const Product<T> product{.left = left.data(),
                             .ld_left = rows_,
                             .right = right.data(),
                             .ld_right = depth,
                             .target = target.data(),
                             .ld_target = rows_,
                             .rows = rows_,
                             .columns = columns_,
                             .depth = depth};
    fmt::print("{}", depth);
    print(depth, [&] { subtract_product(session_.stream(), product); });
    print(depth, [&] { cublas_.subtract(product); });
    fmt::print("\n");
  }

 private:
  // Several in a row, so that the time of a launch is hidden behind the one before.
  static constexpr int in_a_row = 10;

  Buffer<T> random(Offset entries) {
    std::vector<T> values(static_cast<std::size_t>(entries));
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = static_cast<T>(symmetric_interval(hash64(1, k)));
    }
    return upload_copy(session_, MemoryRole::scratch, std::span<const T>(values), "a factor");
  }

  void print(Index depth, const std::function<void()>& work) {
    std::vector<double> times;
    for (int k = 0; k <= repetitions_; ++k) {
      const double microseconds = timer_.time(session_, [&] {
        for (int turn = 0; turn < in_a_row; ++turn) work();
      });
      if (k > 0) times.push_back(microseconds / in_a_row);
    }
    const double microseconds = summarize(times)->median;
    const double flops = 2.0 * rows_ * columns_ * depth;
    fmt::print("\t{:.1f}\t{:.2f}", microseconds, 1e-6 * flops / microseconds);
  }

  DeviceSession& session_;
  const Index rows_, columns_;
  const int repetitions_;
  CublasProduct cublas_;
  StreamTimer timer_;
};

template <class T>
void run(std::span<const int> numbers) {
  DeviceSession session(SessionOptions{});
  Bench<T> bench(session, numbers[0], numbers[1], numbers[2]);
  fmt::print("depth\town_us\town_tflops\tcublas_us\tcublas_tflops\n");
  for (const int depth : numbers.subspan(3)) bench.run(depth);
}

}  // namespace
}  // namespace lufact::gpu::blocked

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::string precision = "double";
  if (arguments.size() >= 2 && arguments[0] == "--precision") {
    precision = arguments[1];
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  std::vector<int> numbers;
  for (const std::string& argument : arguments) numbers.push_back(std::atoi(argument.c_str()));
  const bool known = precision == "double" || precision == "float";
  if (!known || numbers.size() < 4 || std::ranges::min(numbers) <= 0) {
    fmt::print(stderr,
               "usage: bench_products [--precision float|double] ROWS COLUMNS REPETITIONS "
               "DEPTH...\n");
    return 2;
  }
  try {
    using namespace lufact::gpu::blocked;
    if (precision == "float") {
      run<float>(numbers);
    } else {
      run<double>(numbers);
    }
  } catch (const lufact::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
