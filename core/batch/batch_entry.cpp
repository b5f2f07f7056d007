// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/batch_entry.hpp"

#include <array>

namespace lufact {

std::string_view to_string(BatchKind kind) noexcept {
  switch (kind) {
    case BatchKind::random:
      return "random";
    case BatchKind::dominant:
      return "dominant";
    case BatchKind::graded:
      return "graded";
    case BatchKind::ties:
      return "ties";
    case BatchKind::near_singular:
      return "near-singular";
    case BatchKind::singular:
      return "singular";
    case BatchKind::special:
      return "special";
  }
  return "random";
}

std::span<const BatchKind> batch_kinds() noexcept {
  static constexpr std::array kinds{
      BatchKind::random,        BatchKind::dominant, BatchKind::graded, BatchKind::ties,
      BatchKind::near_singular, BatchKind::singular, BatchKind::special};
  return kinds;
}

std::optional<BatchKind> parse_batch_kind(std::string_view name) noexcept {
  for (const BatchKind kind : batch_kinds()) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace lufact
