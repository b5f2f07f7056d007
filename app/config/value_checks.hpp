// SPDX-License-Identifier: BSD-3-Clause
// Checks of what stands behind an option on the command line, which say what was given and what is
// accepted.
#pragma once
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lufact {

// One of these names; says which of them may have been meant.
CLI::Validator one_of(std::vector<std::string> names);

// A file that is there.
CLI::Validator existing_file();

// `holds(text)` says whether the text is a value at all.
CLI::Validator readable_as(const char* accepted, bool (*holds)(const std::string&));

// Whether the whole text is a decimal number that T holds: no NaN, no infinity, no sign where T has
// none, and no 0 in front, which the parser would take for an octal number.
template <class T>
bool is_number(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (std::is_integral_v<T> && digits.size() > 1 && digits.front() == '0') return false;
  T value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return false;
  return !std::is_floating_point_v<T> || std::isfinite(static_cast<double>(value));
}

template <class T>
CLI::Validator number(const char* accepted) {
  return readable_as(accepted, [](const std::string& text) { return is_number<T>(text); });
}

template <class T>
constexpr const char* any_number = std::is_floating_point_v<T>
                                       ? "a number"
                                       : (std::is_signed_v<T> ? "a whole number"
                                                              : "a whole number, 0 or more");

// How --help calls a value of this type.
template <class T>
constexpr const char* number_name = std::is_floating_point_v<T> ? "X" : "N";

// Bytes; throws CLI::ValidationError, also for a bare number that is too small to be meant: 16 for
// 16GiB.
std::uint64_t checked_byte_size(const std::string& option, const std::string& text);

// Adds checks and names to the numbers of a command, and of those below it, that have none yet.
void check_numbers(CLI::App& command);

}  // namespace lufact
