// SPDX-License-Identifier: BSD-3-Clause
// The text of an input file and how the reader points at a place in it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lufact::matrix_market {

struct SourceText {
  std::string name;       // as messages print it
  std::string_view text;  // the whole decompressed text
};

// Separators within a line. A carriage return is one, so that CRLF files need no case of their own.
constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r';
}

// The line that starts at `offset`, without its newline.
std::string_view line_at(std::string_view text, std::size_t offset) noexcept;

// The offset after the newline of the line that starts at `offset`, or text.size().
std::size_t next_line(std::string_view text, std::size_t offset) noexcept;

// The words of a line; at most `limit` of them, so that a line of any length costs little.
std::vector<std::string_view> split_words(std::string_view line, std::size_t limit);

// 'word' for messages: cut to a readable length, bytes that do not print replaced by '?'.
std::string quoted(std::string_view word);

// Both throw Error{error, "bad_matrix"}. fail_at names the line (from 1) that holds `offset`; it
// counts the newlines before it, which is why only errors know line numbers.
[[noreturn]] void fail(const std::string& name, std::string_view message);
[[noreturn]] void fail_at(const SourceText& source, std::size_t offset, std::string_view message);

// "name:line: message", as fail_at prints it.
std::string message_at(const SourceText& source, std::size_t offset, std::string_view message);

}  // namespace lufact::matrix_market
