// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/error.hpp"

#include <array>
#include <utility>

namespace lufact {
namespace {
constexpr std::array<std::pair<Outcome, std::string_view>, 9> names{{
    {Outcome::ok, "ok"},
    {Outcome::singular_structural, "singular_structural"},
    {Outcome::singular_numeric, "singular_numeric"},
    {Outcome::inaccurate, "inaccurate"},
    {Outcome::oom_device, "oom_device"},
    {Outcome::oom_host, "oom_host"},
    {Outcome::timeout, "timeout"},
    {Outcome::unsupported, "unsupported"},
    {Outcome::error, "error"},
}};
}  // namespace

std::string_view to_string(Outcome outcome) noexcept {
  for (const auto& [value, name] : names) {
    if (value == outcome) return name;
  }
  return "error";
}

std::optional<Outcome> parse_outcome(std::string_view text) noexcept {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace lufact
