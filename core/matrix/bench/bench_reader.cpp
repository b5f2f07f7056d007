// SPDX-License-Identifier: BSD-3-Clause
// Bytes per second of the reader on a generated file: from memory and from disk (page cache), on
// one thread and on all. LUFACT_BENCH_BYTES sets the size of the file (64 MiB).
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/base/byte_size.hpp"
#include "core/base/random.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

// The 5-point stencil of a square grid, column by column as SuiteSparse files are, with values of
// 17 digits: about 35 bytes an entry.
std::string make_text(std::size_t bytes) {
  Index side = 2;
  while (static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * 5 * 35 < bytes) ++side;
  const Index n = side * side;
  std::string body;
  body.reserve(bytes + bytes / 8);
  Offset entries = 0;
  for (Index j = 0; j < n; ++j) {
    const Index x = j % side;
    const std::array<std::pair<bool, Index>, 5> rows{{{j >= side, j - side},
                                                      {x > 0, j - 1},
                                                      {true, j},
                                                      {x + 1 < side, j + 1},
                                                      {j + side < n, j + side}}};
    for (const auto& [present, i] : rows) {
      if (!present) continue;
      const double value = symmetric_interval(hash64(1, static_cast<std::uint64_t>(entries++)));
      fmt::format_to(std::back_inserter(body), "{} {} {:.17g}\n", i + 1, j + 1, value);
    }
  }
  return fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", n, n, entries) +
         body;
}

const std::string& text() {
  static const std::string made = [] {
    const char* const wanted = std::getenv("LUFACT_BENCH_BYTES");
    return make_text(wanted == nullptr ? std::size_t{64} << 20 : parse_byte_size(wanted));
  }();
  return made;
}

class TemporaryFile {
 public:
  TemporaryFile()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("lufact_bench_reader_{}.mtx", getpid())) {
    std::ofstream(path_, std::ios::binary) << text();
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

ReadOptions options_of(const benchmark::State& state) {
  ReadOptions options;
  options.threads = static_cast<int>(state.range(0));
  return options;
}

void count_bytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(text().size()));
}

void parse_from_memory(benchmark::State& state) {
  const ReadOptions options = options_of(state);
  static_cast<void>(text());
  for (auto _ : state) benchmark::DoNotOptimize(parse_matrix(text(), "bench", options));
  count_bytes(state);
}

// With the SHA-256 of the file, as every run reads it.
void read_from_disk(benchmark::State& state) {
  static const TemporaryFile file;
  const ReadOptions options = options_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(read_matrix(file.path(), options));
  count_bytes(state);
}

// 0 threads are all.
BENCHMARK(parse_from_memory)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(read_from_disk)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace lufact

BENCHMARK_MAIN();
