// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/market_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/file_bytes.hpp"
#include "core/matrix/source_text.hpp"

namespace lufact {
namespace {

using matrix_market::fail_at;
using matrix_market::quoted;
using matrix_market::SourceText;

enum class Symmetry { general, symmetric, skew };

struct Banner {
  Symmetry symmetry = Symmetry::general;
  bool is_array = false;
};

std::string lower(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Banner parse_banner(const SourceText& source) {
  const auto words = matrix_market::split_words(matrix_market::line_at(source.text, 0), 6);
  if (words.size() < 5 || lower(words[0]) != "%%matrixmarket" || lower(words[2]) != "array") {
    return {};  // the reader of sparse matrices says what is wrong with others
  }
  const std::string field = lower(words[3]), symmetry = lower(words[4]);
  if (field == "complex") {
    throw Error(Outcome::unsupported, "complex_matrix", source.name + ": is complex");
  }
  if (field != "real" && field != "integer" && field != "double") {
    fail_at(source, 0, fmt::format("field {} of an array; accepted: real, integer", quoted(field)));
  }
  if (symmetry == "general") return {Symmetry::general, true};
  if (symmetry == "symmetric") return {Symmetry::symmetric, true};
  if (symmetry == "skew-symmetric") return {Symmetry::skew, true};
  fail_at(source, 0,
          fmt::format("symmetry {} of an array; accepted: general, symmetric, skew-symmetric",
                      quoted(symmetry)));
}

// Numbers of a text one after the other, comments left out.
class Numbers {
 public:
  explicit Numbers(const SourceText& source) : source_(source) {}

  void skip_line() { at_ = matrix_market::next_line(source_.text, at_); }
  void skip_comments() {
    while (at_ < source_.text.size() && (source_.text[at_] == '%' || is_empty_line())) skip_line();
  }

  template <class T>
  T next(const char* what) {
    skip_separators();
    if (at_ == source_.text.size()) fail_at(source_, at_, fmt::format("cut: no {}", what));
    const char* begin = source_.text.data() + at_;
    const char* const end = source_.text.data() + source_.text.size();
    if (*begin == '+') ++begin;
    T value{};
    const auto [stop, error] = std::from_chars(begin, end, value);
    const bool separated = stop == end || is_separator(*stop);
    if (error != std::errc{} || !separated) {
      const auto words = matrix_market::split_words(matrix_market::line_at(source_.text, at_), 1);
      fail_at(source_, at_,
              fmt::format("expected {}, got {}", what, words.empty() ? "" : quoted(words.front())));
    }
    at_ = static_cast<std::size_t>(stop - source_.text.data());
    return value;
  }

  void expect_end() {
    skip_separators();
    if (at_ != source_.text.size()) fail_at(source_, at_, "more entries than the array has");
  }

 private:
  static bool is_separator(char c) { return matrix_market::is_blank(c) || c == '\n'; }
  bool is_empty_line() const {
    const auto line = matrix_market::line_at(source_.text, at_);
    return std::ranges::all_of(line, [](char c) { return matrix_market::is_blank(c); });
  }
  void skip_separators() {
    while (at_ < source_.text.size() && is_separator(source_.text[at_])) ++at_;
  }

  const SourceText& source_;
  std::size_t at_ = 0;
};

// The first row of column j that the file has.
Index first_row(Symmetry symmetry, Index j) {
  if (symmetry == Symmetry::general) return 0;
  return symmetry == Symmetry::symmetric ? j : j + 1;
}

void require_room(const SourceText& source, std::size_t line, Index m, Index n, Symmetry symmetry) {
  // An entry takes a digit and a separator at least.
  const auto half =
      static_cast<std::size_t>(Offset{m} * n / (symmetry == Symmetry::general ? 1 : 2));
  if (half > source.text.size() + static_cast<std::size_t>(m)) {
    fail_at(source, line,
            fmt::format("cut: {} x {} entries are more than the file can hold", m, n));
  }
}

GivenDense parse_entries(const SourceText& source, Symmetry symmetry) {
  Numbers numbers(source);
  numbers.skip_line();
  numbers.skip_comments();
  const auto m = numbers.next<Index>("a number of rows");
  const auto n = numbers.next<Index>("a number of columns");
  if (m < 1 || n < 1 || (symmetry != Symmetry::general && m != n)) {
    fail_at(source, 0, fmt::format("an array of {} x {}", m, n));
  }
  require_room(source, 0, m, n, symmetry);
  GivenDense dense{.m = m, .n = n};
  dense.values.resize(checked_bytes(Offset{m} * n, sizeof(double)) / sizeof(double));
  const auto entry = [&](Index i, Index j) -> double& {
    return dense.values[at(Offset{j} * m + i)];
  };
  for (Index j = 0; j < n; ++j) {
    if (symmetry == Symmetry::skew) entry(j, j) = 0;
    for (Index i = first_row(symmetry, j); i < m; ++i) {
      const auto value = numbers.next<double>("an entry");
      entry(i, j) = value;
      if (symmetry != Symmetry::general) entry(j, i) = symmetry == Symmetry::skew ? -value : value;
    }
  }
  numbers.expect_end();
  return dense;
}

}  // namespace

std::optional<GivenDense> parse_market_array(std::string_view text, const std::string& name) {
  const SourceText source{name, text};
  const Banner banner = parse_banner(source);
  if (!banner.is_array) return std::nullopt;
  return parse_entries(source, banner.symmetry);
}

std::optional<GivenDense> read_market_array(const std::string& path) {
  const matrix_market::MappedFile file(path);
  return parse_market_array(file.bytes(), path);
}

}  // namespace lufact
