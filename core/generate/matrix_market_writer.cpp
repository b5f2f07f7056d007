// SPDX-License-Identifier: BSD-3-Clause
#include "core/generate/matrix_market_writer.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <string_view>

#include "core/base/error.hpp"
#include "core/generate/output_file.hpp"

namespace lufact {
namespace {

// Lines are formatted into one buffer that goes to the file whenever another line might not fit.
class LineWriter {
 public:
  explicit LineWriter(generate::OutputFile& file) : file_(file) { buffer_.resize(kBuffer); }

  void entry(Index row, Index col, double value) {
    if (used_ + kLongestEntry > kBuffer) flush();
    put(row + Offset{1});
    buffer_[used_++] = ' ';
    put(col + Offset{1});
    buffer_[used_++] = ' ';
    put(value);
    buffer_[used_++] = '\n';
  }
  void flush() {
    file_.write(std::string_view(buffer_.data(), used_));
    used_ = 0;
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 20;
  static constexpr std::size_t kLongestEntry =
      64;  // two 10-digit numbers and a 24-character double

  template <class T>
  void put(T value) {
    const auto result =
        std::to_chars(buffer_.data() + used_, buffer_.data() + buffer_.size(), value);
    used_ = static_cast<std::size_t>(result.ptr - buffer_.data());
  }

  generate::OutputFile& file_;
  std::string buffer_;
  std::size_t used_ = 0;
};

bool wants_gzip(std::string_view path) {
  if (path.ends_with(".mtx.gz")) return true;
  if (path.ends_with(".mtx")) return false;
  throw UsageError(fmt::format("--output '{}': the file name must end in .mtx or .mtx.gz", path));
}

}  // namespace

std::string generator_comment(const GeneratorFacts& facts) {
  std::string sizes;
  for (const auto& [name, value] : facts.sizes) {
    sizes += fmt::format("{}\"{}\":{}", sizes.empty() ? "" : ",", name, value);
  }
  return fmt::format(R"(% lufact generator: {{"kind":"{}","sizes":{{{}}},"seed":{}}})", facts.kind,
                     sizes, facts.seed);
}

void write_matrix_market(const std::string& path, const CsrMatrix& matrix,
                         const std::optional<GeneratorFacts>& generator) {
  generate::OutputFile file(path, wants_gzip(path));
  const CsrPattern& pattern = matrix.pattern;
  file.write("%%MatrixMarket matrix coordinate real general\n");
  if (generator) file.write(generator_comment(*generator) + "\n");
  file.write(fmt::format("{} {} {}\n", pattern.n_rows, pattern.n_cols, pattern.nnz()));
  LineWriter lines(file);
  for (Index i = 0; i < pattern.n_rows; ++i) {
    const auto cols = pattern.row(i);
    const auto values = matrix.row_values(i);
    for (std::size_t k = 0; k < cols.size(); ++k) lines.entry(i, cols[k], values[k]);
  }
  lines.flush();
  file.commit();
}

}  // namespace lufact
