// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace lufact::matrix_market {

std::string_view line_at(std::string_view text, std::size_t offset) noexcept {
  const std::size_t end = text.find('\n', offset);
  return text.substr(offset, end == std::string_view::npos ? end : end - offset);
}

std::size_t next_line(std::string_view text, std::size_t offset) noexcept {
  const std::size_t end = text.find('\n', offset);
  return end == std::string_view::npos ? text.size() : end + 1;
}

std::vector<std::string_view> split_words(std::string_view line, std::size_t limit) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  while (words.size() < limit) {
    while (begin < line.size() && is_blank(line[begin])) ++begin;
    if (begin == line.size()) break;
    std::size_t end = begin;
    while (end < line.size() && !is_blank(line[end])) ++end;
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

std::string quoted(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string shown(word.substr(0, longest));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return fmt::format("'{}{}'", shown, word.size() > longest ? "..." : "");
}

std::string message_at(const SourceText& source, std::size_t offset, std::string_view message) {
  const std::string_view before = source.text.substr(0, offset);
  return fmt::format("{}:{}: {}", source.name, std::count(before.begin(), before.end(), '\n') + 1,
                     message);
}

void fail(const std::string& name, std::string_view message) {
  throw Error(Outcome::error, "bad_matrix", fmt::format("{}: {}", name, message));
}

void fail_at(const SourceText& source, std::size_t offset, std::string_view message) {
  throw Error(Outcome::error, "bad_matrix", message_at(source, offset, message));
}

}  // namespace lufact::matrix_market
