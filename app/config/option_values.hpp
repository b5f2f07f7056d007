// SPDX-License-Identifier: BSD-3-Clause
// The values of options as they are declared (option.hpp), as JSON and back, and whether they are
// in their ranges.
#pragma once
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "app/config/choices.hpp"
#include "app/config/option.hpp"
#include "core/base/error.hpp"
#include "core/report/json_codec.hpp"

namespace lufact {

template <class T>
nlohmann::ordered_json encode_value(const T& value) {
  if constexpr (codec::is_optional<T>) {
    return value ? encode_value(*value) : nlohmann::ordered_json(nullptr);
  } else if constexpr (std::is_enum_v<T>) {
    return to_string(value);
  } else {
    return value;
  }
}

template <class T>
void decode_value(const nlohmann::json& from, T& value) {
  if constexpr (codec::is_optional<T>) {
    value.reset();
    if (!from.is_null()) decode_value(from, value.emplace());
  } else if constexpr (std::is_enum_v<T>) {
    value = parse_choice<T>(from.get<std::string>()).value();
  } else {
    from.get_to(value);
  }
}

// A configuration of which visit_options() shows every option, as an entry for each.
template <class Config>
nlohmann::ordered_json json_of_options(const Config& config) {
  nlohmann::ordered_json result = nlohmann::ordered_json::object();
  const auto write = [&](const Option& option, const auto& value, const auto&...) {
    result[option.key] = encode_value(value);
  };
  visit_options(write, config);
  return result;
}

template <class Config>
Config options_from_json(const nlohmann::json& from) {
  Config config;
  const auto read = [&](const Option& option, auto& value, const auto&...) {
    decode_value(from.at(option.key), value);
  };
  visit_options(read, config);
  return config;
}

// The visitor that throws UsageError for values outside the range that their declaration gives.
struct RangeCheck {
  void operator()(const Option& option, const auto& value, const InRange& range) const {
    require(option, range.holds(value), range.accepted);
  }
  void operator()(const Option& option, const auto& value, const LevelWidths& widths) const {
    require(option, widths.holds(value), widths.accepted);
  }
  void operator()(const Option&, const auto&, const auto&...) const {}  // the parser looks at those

 private:
  static void require(const Option& option, bool holds, const char* accepted) {
    if (holds) return;
    throw UsageError(fmt::format("{} is out of range; accepted: {}", option.name, accepted));
  }
};

}  // namespace lufact
