// SPDX-License-Identifier: BSD-3-Clause
// bench_staged_copies REPETITIONS MEGABYTES...: gigabytes a second of copies between pageable
// arrays and the device, by threads that take part: 1, 2 and so on to as many as copies take at
// most. Between copies the host's caches are filled with something else. Tab-separated: threads,
// the size in units of 2^20 bytes, medians up and down, and of copies of page-locked arrays.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/measure/clock.hpp"
#include "core/measure/statistics.hpp"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/check.hpp"
#include "gpu/runtime/session.hpp"
#include "gpu/runtime/staged_copies.hpp"

namespace lufact::gpu {
namespace {

class Bench {
 public:
  Bench(DeviceSession& session, int repetitions, Offset bytes)
      : session_(session),
        repetitions_(repetitions),
        there_(session, MemoryRole::scratch, bytes, "the array on the device"),
        locked_(session, MemoryRole::scratch, bytes, "a page-locked array", MemoryKind::pinned),
        here_(at(bytes)),
        other_(std::size_t{256} << 20) {}

  void run(int threads) {
    StagedCopies copies(stages_.data(), session_.stream(), threads);
    const auto bytes = here_.size();
    fmt::print("{}\t{}", threads, bytes >> 20);
    print([&] {
      copies.upload(there_.data(), bytes, [&](std::byte* to, std::size_t first, std::size_t some) {
        std::memcpy(to, here_.data() + first, some);
      });
    });
    print([&] {
      copies.download(there_.data(), bytes,
                      [&](const std::byte* from, std::size_t first, std::size_t some) {
                        std::memcpy(here_.data() + first, from, some);
                      });
    });
    print([&] { copy(there_.data(), locked_.data(), cudaMemcpyHostToDevice); });
    print([&] { copy(locked_.data(), there_.data(), cudaMemcpyDeviceToHost); });
    fmt::print("\n");
  }

 private:
  void copy(void* to, const void* from, cudaMemcpyKind kind) {
    LUFACT_CUDA(cudaMemcpyAsync(to, from, here_.size(), kind, session_.stream()));
  }
  template <class Copy>
  void print(const Copy& copy_once) {
    std::vector<double> seconds;
    for (int k = 0; k < repetitions_; ++k) {
      for (std::byte& byte : other_) byte ^= std::byte{1};
      const SteadyClock clock;
      const auto begin = clock.now();
      copy_once();
      LUFACT_CUDA(cudaStreamSynchronize(session_.stream()));
      seconds.push_back(std::chrono::duration<double>(clock.now() - begin).count());
    }
    fmt::print("\t{:.1f}", static_cast<double>(here_.size()) / summarize(seconds)->median * 1e-9);
  }

  DeviceSession& session_;
  int repetitions_;
  Buffer<std::byte> there_, locked_;
  std::vector<std::byte> here_, other_;
  Buffer<std::byte> stages_{session_, MemoryRole::scratch, Offset{StagedCopies::pinned_bytes},
                            "the stages", MemoryKind::pinned};
};

int run_bench(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: bench_staged_copies REPETITIONS MEGABYTES...\n");
    return 2;
  }
  DeviceSession session({});
  for (int a = 2; a < argc; ++a) {
    Bench bench(session, std::stoi(argv[1]), Offset{std::stoi(argv[a])} << 20);
    for (int threads = 1; threads <= StagedCopies::most_threads; threads *= 2) bench.run(threads);
  }
  return 0;
}

}  // namespace
}  // namespace lufact::gpu

int main(int argc, char** argv) {
  try {
    return lufact::gpu::run_bench(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_staged_copies: {}\n", error.what());
    return 1;
  }
}
