// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/dense_entry.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace lufact {
namespace {

constexpr std::array<std::pair<std::string_view, DenseKind>, 6> plain_kinds{{
    {"random", DenseKind::random},
    {"dominant", DenseKind::dominant},
    {"growth", DenseKind::growth},
    {"hilbert", DenseKind::hilbert},
    {"toeplitz", DenseKind::toeplitz},
    {"ties", DenseKind::ties},
}};

constexpr std::array<std::pair<std::string_view, SpecialNumbers>, 5> specials{{
    {"special:subnormal", SpecialNumbers::subnormal},
    {"special:tiny", SpecialNumbers::tiny},
    {"special:huge", SpecialNumbers::huge},
    {"special:nan", SpecialNumbers::nan},
    {"special:inf", SpecialNumbers::inf},
}};

template <class T>
std::optional<T> number_behind(std::string_view text, std::string_view head) {
  if (!text.starts_with(head)) return std::nullopt;
  text.remove_prefix(head.size());
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<DenseKindName> parse_dense_kind(std::string_view text) {
  DenseKindName name;
  for (const auto& [spelling, kind] : plain_kinds) {
    if (spelling == text) return DenseKindName{.kind = kind};
  }
  for (const auto& [spelling, numbers] : specials) {
    if (spelling == text) return DenseKindName{.kind = DenseKind::special, .numbers = numbers};
  }
  if (const auto condition = number_behind<double>(text, "condition:")) {
    if (!(*condition >= 1) || !std::isfinite(*condition)) return std::nullopt;
    return DenseKindName{.kind = DenseKind::condition, .condition = *condition};
  }
  for (const auto& [head, kind] : {std::pair{"singular:", DenseKind::singular},
                                   std::pair{"zero-minor:", DenseKind::zero_minor}}) {
    const auto column = number_behind<Index>(text, head);
    if (column && *column >= 1) return DenseKindName{.kind = kind, .column = *column};
  }
  return std::nullopt;
}

std::string to_string(const DenseKindName& name) {
  switch (name.kind) {
    case DenseKind::condition:
      return fmt::format("condition:{:g}", name.condition);
    case DenseKind::singular:
      return fmt::format("singular:{}", name.column);
    case DenseKind::zero_minor:
      return fmt::format("zero-minor:{}", name.column);
    case DenseKind::special:
      for (const auto& [spelling, numbers] : specials) {
        if (numbers == name.numbers) return std::string(spelling);
      }
      break;
    default:
      break;
  }
  for (const auto& [spelling, kind] : plain_kinds) {
    if (kind == name.kind) return std::string(spelling);
  }
  return "";
}

std::span<const std::string_view> dense_kind_spellings() noexcept {
  static constexpr std::array<std::string_view, 14> spellings{
      "dominant",     "random",       "condition:K",  "growth",     "hilbert",
      "toeplitz",     "singular:K",   "zero-minor:K", "ties",       "special:subnormal",
      "special:tiny", "special:huge", "special:nan",  "special:inf"};
  return spellings;
}

}  // namespace lufact
