// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/value_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/base/byte_size.hpp"
#include "core/base/suggestion.hpp"

namespace lufact {
namespace {

// Smaller bare numbers are taken for a unit that was forgotten.
constexpr std::uint64_t least_bare_bytes = std::uint64_t{1} << 20;

template <class T>
void check_number(CLI::Option& option) {
  option.check(number<T>(any_number<T>))->type_name(number_name<T>);
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> names) {
  const auto check = [names = std::move(names)](const std::string& text) -> std::string {
    if (std::find(names.begin(), names.end(), text) != names.end()) return "";
    return fmt::format("'{}' is not known{}; accepted: {}", text, did_you_mean(text, names),
                       fmt::join(names, ", "));
  };
  return {check, ""};
}

CLI::Validator existing_file() {
  const auto check = [](const std::string& path) -> std::string {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) return path + ": there is no such file";
    return std::filesystem::is_directory(status) ? path + " is a folder" : "";
  };
  return {check, ""};
}

CLI::Validator readable_as(const char* accepted, bool (*holds)(const std::string&)) {
  const auto check = [accepted, holds](const std::string& text) -> std::string {
    if (holds(text)) return "";
    return fmt::format("'{}' is no value of it; accepted: {}", text, accepted);
  };
  return {check, ""};
}

std::uint64_t checked_byte_size(const std::string& option, const std::string& text) {
  std::uint64_t bytes = 0;
  try {
    bytes = parse_byte_size(text);
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError(option, error.what());
  }
  const bool bare = text.find_first_not_of("0123456789.") == std::string::npos;
  if (!bare || bytes == 0 || bytes >= least_bare_bytes) return bytes;
  throw CLI::ValidationError(
      option,
      fmt::format("'{0}' has no unit and would be {0} bytes; accepted: none, or a size with "
                  "its unit, such as {0}GiB or {0}B",
                  text));
}

void check_numbers(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    const std::string type = option->get_type_name();
    if (type == "INT") check_number<std::int64_t>(*option);
    if (type == "UINT") check_number<std::uint64_t>(*option);
    if (type == "FLOAT") check_number<double>(*option);
  }
  for (CLI::App* below : command.get_subcommands({})) check_numbers(*below);
}

}  // namespace lufact
