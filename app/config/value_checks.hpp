// SPDX-License-Identifier: BSD-3-Clause
// Checks of what stands behind an option on the command line, which say what was given and what is
// accepted.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace lufact {

// One of these names; says which of them may have been meant.
CLI::Validator one_of(std::vector<std::string> names);

// A file that is there.
CLI::Validator existing_file();

// `holds(text)` says whether the text is a value at all.
CLI::Validator readable_as(const char* accepted, bool (*holds)(const std::string&));

template <class T>
CLI::Validator number(const char* accepted) {
  return readable_as(accepted, [](const std::string& text) {
    T value{};
    return CLI::detail::lexical_cast(text, value);
  });
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
