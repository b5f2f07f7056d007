// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/byte_size.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <utility>

namespace lufact {
namespace {

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 11> units{{
    {"", 1},
    {"B", 1},
    {"kB", 1000},
    {"KB", 1000},
    {"MB", 1000ULL * 1000},
    {"GB", 1000ULL * 1000 * 1000},
    {"TB", 1000ULL * 1000 * 1000 * 1000},
    {"KiB", 1ULL << 10},
    {"MiB", 1ULL << 20},
    {"GiB", 1ULL << 30},
    {"TiB", 1ULL << 40},
}};

[[noreturn]] void reject(std::string_view text) {
  throw std::invalid_argument(fmt::format(
      "'{}' is not a size; write a number with B, kB, MB, GB, KiB, MiB or GiB, such as 16GiB",
      text));
}

}  // namespace

std::uint64_t parse_byte_size(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || !(number >= 0)) reject(text);
  std::string_view unit(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  for (const auto& [name, factor] : units) {
    if (name != unit) continue;
    const double bytes = number * static_cast<double>(factor);
    if (bytes >= static_cast<double>(std::numeric_limits<std::int64_t>::max())) reject(text);
    return static_cast<std::uint64_t>(bytes);
  }
  reject(text);
}

std::string format_byte_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> names{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < names.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.2f} {}", value, names[unit]);
}

}  // namespace lufact
