// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: whatever the bytes, the reader gives a valid matrix or an Error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/base/error.hpp"
#include "core/matrix/assemble.hpp"
#include "core/matrix/file_bytes.hpp"
#include "core/matrix/reader.hpp"
#include "core/matrix/symmetry_check.hpp"
#include "core/matrix/tar.hpp"

namespace {

using namespace lufact;
using namespace lufact::matrix_market;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

// Orders beyond this are legal but cost more memory than a fuzzer should have.
constexpr Index largest_order = 1 << 20;

void read_text(std::string_view text, const ReadOptions& options) {
  const SourceText source{"fuzz", text};
  const Header header = parse_header(source, options.without_banner);
  if (header.n > largest_order) return;
  const InputMatrix input = parse_matrix(text, "fuzz", options);
  require(find_pattern_fault(input.matrix.pattern.view()).empty(), "a valid pattern");
  require(input.matrix.values.size() == input.matrix.pattern.col_idx.size(), "a value per entry");
  require(input.matrix.pattern.n_rows == header.n, "the order of the head");
  for (const double value : input.matrix.values) {
    require(std::isfinite(value), "finite values");
    require(value != 0 || options.explicit_zeros == ExplicitZeros::keep, "no zeros");
  }
  const double symmetry = input.facts.structural_symmetry;
  require(symmetry >= 0 && symmetry <= 1, "a share");
  // Cut anywhere, the entries are the same.
  const Triplets whole = parse_triplets(source, header, 1);
  const Triplets cut = parse_triplets(source, header, 1, 16);
  require(whole.count == cut.count, "the same entries");
}

void read_bytes(std::string_view bytes, const ReadOptions& options) {
  try {
    ByteBuffer unpacked;
    const Container outer = recognise(bytes);
    if (outer == Container::gzip) unpacked = gunzip(bytes, "fuzz");
    if (outer == Container::xz) unpacked = unxz(bytes, "fuzz");
    if (outer == Container::gzip || outer == Container::xz) bytes = unpacked.bytes();
    if (recognise(bytes) == Container::tar) {
      bytes = find_matrix_in_tar(bytes, "fuzz", "fuzz").content;
    }
    read_text(bytes, options);
  } catch (const Error& error) {
    require(error.code() != "host_memory", "no more memory than the input asks for");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The length chooses the options, so that any file is a seed as it stands.
  const std::size_t choice = size % 32;
  ReadOptions options;
  options.threads = 1;
  if ((choice & 1U) != 0) options.symmetry = SymmetryMode::stored;
  if ((choice & 2U) != 0) options.explicit_zeros = ExplicitZeros::keep;
  if ((choice & 4U) != 0) options.pattern_values = PatternValues::ones;
  if ((choice & 8U) != 0) options.without_banner = true;
  if ((choice & 16U) != 0) options.zero_diagonals = 1.0;
  read_bytes({reinterpret_cast<const char*>(data), size}, options);
  return 0;
}
