// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: whatever the bytes, parse_npy() gives matrices that fill their array or an
// Error.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/batch/npy.hpp"

namespace {

using namespace lufact;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const GivenMatrices given = parse_npy({reinterpret_cast<const char*>(data), size}, "fuzz");
    require(given.n >= 1 && given.n <= largest_npy_order, "an order that is accepted");
    require(given.count >= 1, "a matrix");
    require(given.values.size() == at(given.count * given.n * given.n), "a value per entry");
    require(given.values.size() * sizeof(float) <= size, "no more values than the file has");
  } catch (const Error& error) {
    require(error.code() == "bad_matrix", "an error of the file");
  }
  return 0;
}
