// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/options.hpp"

#include <array>

namespace lufact {
namespace {
constexpr std::array<std::string_view, 5> until_names{"order", "symbolic", "levelize", "numeric",
                                                      "solve"};
constexpr std::array<std::string_view, 4> glu_mode_names{"auto", "small", "large", "stream"};
constexpr std::array<std::string_view, 2> pivoting_names{"static", "diagonal-block"};
}  // namespace

std::string_view to_string(Until until) noexcept {
  return until_names[static_cast<std::size_t>(until)];
}

std::optional<Until> parse_until(std::string_view text) noexcept {
  for (std::size_t k = 0; k < until_names.size(); ++k) {
    if (until_names[k] == text) return static_cast<Until>(k);
  }
  return std::nullopt;
}

std::string_view to_string(Pivoting pivoting) noexcept {
  return pivoting_names[static_cast<std::size_t>(pivoting)];
}

std::optional<Pivoting> parse_pivoting(std::string_view text) noexcept {
  for (std::size_t k = 0; k < pivoting_names.size(); ++k) {
    if (pivoting_names[k] == text) return static_cast<Pivoting>(k);
  }
  return std::nullopt;
}

std::string_view to_string(GluMode mode) noexcept {
  return glu_mode_names[static_cast<std::size_t>(mode)];
}

std::optional<GluMode> parse_glu_mode(std::string_view text) noexcept {
  for (std::size_t k = 0; k < glu_mode_names.size(); ++k) {
    if (glu_mode_names[k] == text) return static_cast<GluMode>(k);
  }
  return std::nullopt;
}

std::string_view to_string(DependencyRule rule) noexcept {
  switch (rule) {
    case DependencyRule::glu1:
      return "glu1";
    case DependencyRule::relaxed:
      return "relaxed";
    case DependencyRule::exact:
      break;
  }
  return "exact";
}

}  // namespace lufact
