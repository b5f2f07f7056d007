// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/entry_line.hpp"

#include <fmt/format.h>
#include <locale.h>
#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <type_traits>

#include "core/matrix/source_text.hpp"

namespace lufact::matrix_market {
namespace {

constexpr std::string_view not_a_number = "is not a number";
constexpr std::string_view not_finite = "is not finite";
constexpr std::string_view too_large = "does not fit in a double";

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

bool names_infinity_or_nan(std::string_view word) noexcept {
  return word.find_first_of("0123456789") == std::string_view::npos &&
         word.find_first_of("iInN") == 0;
}

struct FreeLocale {
  void operator()(locale_t locale) const noexcept { freelocale(locale); }
};

// from_chars reports values that are too large and too small alike; strtod tells them apart.
// `text` is known to be a decimal number.
double nearest_double(const std::string& text) {
  static const std::unique_ptr<std::remove_pointer_t<locale_t>, FreeLocale> c_locale(
      newlocale(LC_ALL_MASK, "C", nullptr));
  return strtod_l(text.c_str(), nullptr, c_locale.get());
}

std::string read_position(std::string_view word, std::string_view what, Index n, Index& position) {
  std::string_view digits = word;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return fmt::format("{} index {} is not an integer", what, quoted(word));
  }
  Offset value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (negative || result.ec != std::errc() || value < 1 || value > n) {
    return fmt::format("{} index {} is outside 1..{}", what, quoted(word), n);
  }
  position = static_cast<Index>(value - 1);
  return {};
}

std::string read_value(std::string_view word, Field field, double& value) {
  if (field == Field::pattern) {
    value = 1;
    return {};
  }
  const std::string_view wrong =
      field == Field::real ? read_real(word, value) : read_integer(word, value);
  return wrong.empty() ? std::string() : fmt::format("value {} {}", quoted(word), wrong);
}

}  // namespace

std::string_view read_real(std::string_view word, double& value) {
  std::string_view body = word;
  if (body.starts_with('+') || body.starts_with('-')) body.remove_prefix(1);
  if (body.empty() || !(is_digit(body.front()) || body.front() == '.')) {
    return names_infinity_or_nan(body) ? not_finite : not_a_number;
  }
  std::string text(word.starts_with('+') ? body : word);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return not_a_number;
  if (result.ec == std::errc::result_out_of_range) value = nearest_double(text);
  return std::isfinite(value) ? std::string_view() : too_large;
}

std::string_view read_integer(std::string_view word, double& value) {
  std::string_view digits = word;
  if (digits.starts_with('+') || digits.starts_with('-')) digits.remove_prefix(1);
  if (names_infinity_or_nan(digits)) return not_finite;
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return "is not an integer, as the banner says";
  }
  return read_real(word, value);
}

LineKind read_line(std::string_view line, Field field, Index n, Entry& entry, std::string& fault) {
  const std::size_t needed = field == Field::pattern ? 2 : 3;
  const auto words = split_words(line, needed + 1);
  if (words.empty() || words[0].front() == '%') return LineKind::idle;
  if (words.size() != needed) {
    // A word that is no number says more than the count of words does.
    std::string first = read_position(words[0], "row", n, entry.row);
    fault = !first.empty() ? std::move(first)
                           : fmt::format("an entry needs {} numbers ({}), this line has {}", needed,
                                         needed == 2 ? "row, column" : "row, column, value",
                                         words.size() > needed ? "more" : "fewer");
    return LineKind::fault;
  }
  std::string found = read_position(words[0], "row", n, entry.row);
  if (found.empty()) found = read_position(words[1], "column", n, entry.col);
  if (found.empty()) {
    found = read_value(words.back(), field, entry.value);
  }
  if (found.empty()) return LineKind::entry;
  fault = std::move(found);
  return LineKind::fault;
}

}  // namespace lufact::matrix_market
