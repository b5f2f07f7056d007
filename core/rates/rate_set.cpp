// SPDX-License-Identifier: BSD-3-Clause
#include "core/rates/rate_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "core/base/sha256.hpp"

namespace lufact {
namespace {

constexpr std::array origins_in_order{RateOrigin::measured, RateOrigin::scaled,
                                      RateOrigin::shipped};

// `lufact calibrate` on an H100 with 16 cores; what it left is as in the first set.
RateSet h100_with_16_cores() {
  RateSet set{.name = "h100-16-cores"};
#define LUFACT_RATE(group, rate, number, from) \
  set.rates.group.rate = number;               \
  set.origin[#group "." #rate] = RateOrigin::from;
#include "core/rates/h100_16_cores.def"
#undef LUFACT_RATE
  return set;
}

}  // namespace

std::string_view to_string(RateOrigin origin) noexcept {
  switch (origin) {
    case RateOrigin::measured:
      return "measured";
    case RateOrigin::scaled:
      return "scaled";
    case RateOrigin::shipped:
      break;
  }
  return "shipped";
}

std::optional<RateOrigin> parse_rate_origin(std::string_view text) noexcept {
  for (const RateOrigin origin : origins_in_order) {
    if (text == to_string(origin)) return origin;
  }
  return std::nullopt;
}

RateOrigin RateSet::origin_of(const RateEntry& entry) const {
  const auto found = origin.find(entry.key());
  return found == origin.end() ? RateOrigin::shipped : found->second;
}

std::string RateSet::origins() const {
  std::vector<std::string> parts;
  for (const RateOrigin wanted : origins_in_order) {
    int count = 0;
    for (const RateEntry& entry : rate_list()) count += origin_of(entry) == wanted ? 1 : 0;
    if (count > 0) parts.push_back(fmt::format("{} {}", count, to_string(wanted)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string RateSet::sha256() const {
  std::string text;
  for (const RateEntry& entry : rate_list()) {
    text += fmt::format("{}={}\n", entry.key(), entry.value(rates));
  }
  return sha256_of_text(text);
}

std::span<const RateSet> shipped_rates() {
  static const std::array sets{RateSet{.name = "h200-16-cores"}, h100_with_16_cores()};
  return sets;
}

}  // namespace lufact
