// SPDX-License-Identifier: BSD-3-Clause
// Rates with what they are called and where each comes from.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/rates/rate_list.hpp"

namespace lufact {

// Of one rate: measured on the machine itself, scaled by a ratio that was, or shipped.
enum class RateOrigin { shipped, scaled, measured };
std::string_view to_string(RateOrigin origin) noexcept;
std::optional<RateOrigin> parse_rate_origin(std::string_view text) noexcept;

struct RateSet {
  std::string name;
  std::string source = "shipped";  // or the file that they were read from
  Rates rates{};
  std::map<std::string, RateOrigin> origin{};  // by key; what is not there is shipped

  RateOrigin origin_of(const RateEntry& entry) const;
  // How many of the rates come from where: "64 shipped", "60 scaled, 4 measured".
  std::string origins() const;
  // Of all values, so that two files with the same rates have the same.
  std::string sha256() const;
};

// What this program brings. The first is the default: rates of an H200 with 16 cores. The others
// were measured by `lufact calibrate`; scripts/shipped_rates makes a set from the file it writes.
std::span<const RateSet> shipped_rates();

}  // namespace lufact
