// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/banner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/file_bytes.hpp"
#include "core/matrix/generator_comment.hpp"

namespace lufact::matrix_market {
namespace {

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

[[noreturn]] void fail_unsupported(const SourceText& source, std::size_t offset, std::string code,
                                   std::string_view message) {
  throw Error(Outcome::unsupported, std::move(code), message_at(source, offset, message));
}

// Text has no control characters but tab, newline, form feed and carriage return.
bool looks_binary(std::string_view text) {
  const std::string_view head = text.substr(0, 512);
  return std::any_of(head.begin(), head.end(), [](char c) {
    return (c >= 0 && c < '\t') || (c > '\r' && c < ' ' && c != '\x1a');
  });
}

bool is_integer_word(std::string_view word) {
  if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool looks_like_sizes(const std::vector<std::string_view>& words) {
  return words.size() == 3 && std::all_of(words.begin(), words.end(), is_integer_word);
}

// The start of the next line, from `offset` on, that is neither blank nor (with `comments`) a
// comment.
std::size_t skip_idle_lines(std::string_view text, std::size_t offset, bool comments) {
  while (offset < text.size()) {
    const auto words = split_words(line_at(text, offset), 1);
    if (!words.empty() && !(comments && words[0].front() == '%')) break;
    offset = next_line(text, offset);
  }
  return offset;
}

[[noreturn]] void refuse_file_without_banner(const SourceText& source, std::size_t first) {
  if (first == source.text.size()) fail_at(source, 0, "the file holds nothing but blank lines");
  if (const auto format = foreign_format(source.text); !format.empty()) {
    fail_at(source, 0, fmt::format("not a Matrix Market file: {}", format));
  }
  if (looks_binary(source.text)) fail_at(source, 0, "not a Matrix Market file: binary data");
  if (source.text[first] == '<') {
    fail_at(source, first, "not a Matrix Market file: HTML or XML (a failed download?)");
  }
  const std::size_t sizes = skip_idle_lines(source.text, first, true);
  if (looks_like_sizes(split_words(line_at(source.text, sizes), 4))) {
    fail_at(source, first,
            "no %%MatrixMarket banner; --without-banner reads \"rows columns entries\" and lines "
            "of row, column and value as a real general matrix");
  }
  fail_at(source, first,
          fmt::format("not a Matrix Market file: it starts with {}, not with a %%MatrixMarket "
                      "banner",
                      quoted(line_at(source.text, first))));
}

Field parse_field(const SourceText& source, std::size_t offset, const std::string& word) {
  if (word == "real" || word == "double") return Field::real;
  if (word == "integer" || word == "unsigned-integer") return Field::integer;
  if (word == "pattern") return Field::pattern;
  if (word == "complex") {
    fail_unsupported(source, offset, "complex_matrix", "complex values are not supported");
  }
  fail_at(
      source, offset,
      fmt::format("unknown field {}; real, double, integer and pattern are read", quoted(word)));
}

FileSymmetry parse_symmetry(const SourceText& source, std::size_t offset, const std::string& word) {
  if (word == "general") return FileSymmetry::general;
  if (word == "symmetric") return FileSymmetry::symmetric;
  if (word == "skew-symmetric") return FileSymmetry::skew_symmetric;
  if (word == "hermitian") {
    fail_unsupported(source, offset, "complex_matrix", "Hermitian matrices are not supported");
  }
  fail_at(source, offset,
          fmt::format("unknown symmetry {}; general, symmetric and skew-symmetric are read",
                      quoted(word)));
}

// Some writers put one '%' before MatrixMarket where the standard has two.
bool is_banner_mark(std::string_view word) {
  const std::string mark = lower(word);
  return mark == "%%matrixmarket" || mark == "%matrixmarket";
}

void parse_banner(const SourceText& source, std::size_t offset, Header& header) {
  std::vector<std::string> words;
  for (const auto word : split_words(line_at(source.text, offset), 5)) words.push_back(lower(word));
  if (words.size() < 5) {
    fail_at(source, offset,
            "the banner needs five words: %%MatrixMarket matrix coordinate FIELD SYMMETRY");
  }
  if (words[1] != "matrix") {
    fail_at(source, offset, fmt::format("the file holds a {}, not a matrix", quoted(words[1])));
  }
  // A complex or Hermitian array is reported as dense: that is what stands first.
  if (words[2] == "array") {
    fail_unsupported(source, offset, "dense_matrix",
                     "dense matrices (format array) are not supported");
  }
  if (words[2] != "coordinate") {
    fail_at(source, offset, fmt::format("unknown format {}; coordinate is read", quoted(words[2])));
  }
  header.field = parse_field(source, offset, words[3]);
  header.symmetry = parse_symmetry(source, offset, words[4]);
}

Offset parse_size(const SourceText& source, std::size_t offset, std::string_view word) {
  if (!is_integer_word(word)) {
    fail_at(source, offset,
            fmt::format("{} is not an integer; the line of sizes is "
                        "\"rows columns entries\"",
                        quoted(word)));
  }
  if (word.starts_with('+')) word.remove_prefix(1);
  Offset value = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  static_cast<void>(end);
  if (word.starts_with('-')) {
    fail_at(source, offset, fmt::format("negative size {}", quoted(word)));
  }
  return status == std::errc() ? value : std::numeric_limits<Offset>::max();
}

void parse_sizes(const SourceText& source, std::size_t offset, Header& header) {
  if (offset == source.text.size()) {
    fail_at(source, offset, "the file ends before the line of sizes (truncated?)");
  }
  const auto words = split_words(line_at(source.text, offset), 4);
  if (words.size() != 3) {
    fail_at(source, offset,
            fmt::format("the line of sizes needs 3 numbers (rows columns entries), it has {}",
                        words.size() > 3 ? "more" : std::to_string(words.size())));
  }
  const std::array<Offset, 3> sizes{parse_size(source, offset, words[0]),
                                    parse_size(source, offset, words[1]),
                                    parse_size(source, offset, words[2])};
  if (sizes[0] != sizes[1]) {
    fail_at(source, offset,
            fmt::format("the matrix is not square: {} rows and {} columns", words[0], words[1]));
  }
  if (sizes[0] > std::numeric_limits<Index>::max()) {
    fail_unsupported(source, offset, "index_overflow",
                     fmt::format("{} rows: the largest supported order is 2147483647", words[0]));
  }
  header.n = static_cast<Index>(sizes[0]);
  header.entries = sizes[2];
  header.size_offset = offset;
  header.body_offset = next_line(source.text, offset);
}

// Checked before anything is allocated: "1 1" is the shortest line of a pattern and "1 1 1" that
// of the others, and all but the last end with a newline.
void check_announced_entries(const SourceText& source, const Header& header) {
  const std::size_t shortest = header.field == Field::pattern ? 4 : 6;
  const std::size_t room = (source.text.size() - header.body_offset + 1) / shortest;
  if (static_cast<std::size_t>(header.entries) > room) {
    fail_at(source, header.size_offset,
            fmt::format("{} entries are announced, but the rest of the file has room for at most "
                        "{} (truncated?)",
                        header.entries, room));
  }
}

}  // namespace

std::string_view to_string(Field field) noexcept {
  switch (field) {
    case Field::real:
      return "real";
    case Field::integer:
      return "integer";
    case Field::pattern:
      break;
  }
  return "pattern";
}

std::string_view to_string(FileSymmetry symmetry) noexcept {
  switch (symmetry) {
    case FileSymmetry::general:
      return "general";
    case FileSymmetry::symmetric:
      return "symmetric";
    case FileSymmetry::skew_symmetric:
      break;
  }
  return "skew-symmetric";
}

Header parse_header(const SourceText& source, bool without_banner) {
  Header header;
  const std::string_view text = source.text;
  std::size_t offset = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  offset = skip_idle_lines(text, offset, false);
  const auto words = split_words(line_at(text, offset), 1);
  if (!words.empty() && is_banner_mark(words[0])) {
    parse_banner(source, offset, header);
    offset = next_line(text, offset);
  } else if (!without_banner || offset == text.size()) {
    refuse_file_without_banner(source, offset);
  }
  const std::size_t sizes = skip_idle_lines(text, offset, true);
  while (offset < sizes && !header.generator) {
    header.generator = parse_generator_comment(line_at(text, offset));
    offset = next_line(text, offset);
  }
  parse_sizes(source, sizes, header);
  check_announced_entries(source, header);
  return header;
}

}  // namespace lufact::matrix_market
